import API
import Domain
import HTTP
import Postgres

/// What recipients said of a delivery.
struct RecipientWords: Sendable {
    /// What they wish, for the store and whoever carries it.
    var wishes: [(text: String, at: Timestamp)] = []
    /// What they thought of it afterwards, for the store alone.
    var rating: (stars: Int, text: String?, at: Timestamp)?

    static let members: [Shape.Member] = [
        .init(
            "wishes",
            .array(.object("Wish", [.init("text", .string()), .init("at", .time)]), most: Bounds.wishes), optional: true
        ),
        .init(
            "rating",
            .object(
                "Rating",
                [.init("stars", .integer(1...5)), .init("text", Shape.string().orNull), .init("at", .time)]),
            optional: true),
    ]

    func write(_ json: inout JSONWriter, forStore isStore: Bool) {
        if !wishes.isEmpty {
            json.array("wishes", wishes) { json, wish in
                json.object { json in
                    json.field("text", wish.text)
                    json.field("at", wish.at)
                }
            }
        }
        guard isStore, let rating else { return }
        json.object("rating") { json in
            json.field("stars", rating.stars)
            json.field("text", rating.text)
            json.field("at", rating.at)
        }
    }
}
