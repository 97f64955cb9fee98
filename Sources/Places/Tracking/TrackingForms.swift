import API
import Domain

/// What a recipient wishes.
struct WishForm: Form {
    let text: String

    init(_ fields: inout Fields) { text = fields.line("text", upTo: Bounds.wish, by: Texts.paragraph) }
}

/// What a recipient thought of it.
struct RatingForm: Form {
    let stars: Int
    let text: String?

    init(_ fields: inout Fields) {
        stars = fields.number("stars", 1...5)
        text = fields.optionalLine("text", upTo: Bounds.rating, by: Texts.paragraph)
    }
}
