import API
import Domain
import HTTP

/// What somebody says: words, a picture, or both.
struct NewMessage: Form {
    let text: String?
    let file, delivery: ID?

    init(_ fields: inout Fields) {
        text = fields.optionalLine("text", upTo: Bounds.said, by: Texts.paragraph)
        file = fields.optional("file_id")
        delivery = fields.optional("delivery_id")
        if text == nil, file == nil, !fields.refused("text"), !fields.refused("file_id") {
            fields.refuse("text", "required")
        }
    }
}

/// How far somebody has read.
struct ReadForm: Form {
    let upTo: Int32

    init(_ fields: inout Fields) { upTo = Int32(fields.number("up_to", 0...Int(Int32.max))) }
}

/// What somebody wants of a conversation. Fields that are left out stay as they are.
struct ConversationChange: Form {
    let isMuted, isBlocked: Bool?

    init(_ fields: inout Fields) {
        isMuted = fields.change("muted")
        isBlocked = fields.change("blocked")
    }
}

/// What an account answers often; null for what Kurir suggests.
struct QuickAnswers: Form {
    let texts: [String]?

    init(_ fields: inout Fields) { texts = (fields.optional("texts") as Lines?)?.texts }

    private struct Lines: FieldValue {
        let texts: [String]
        static let shape = Shape.array(.string(least: 1, most: Bounds.quickAnswer), most: Bounds.quickAnswers)
        static let example = Lines(texts: [])

        init(texts: [String]) { self.texts = texts }

        init(field json: JSON) throws(InvalidValue) {
            guard case .array(let items) = json else { throw InvalidValue("wrong_type") }
            guard items.count <= Bounds.quickAnswers else {
                throw InvalidValue("too_many", ["max": "\(Bounds.quickAnswers)"])
            }
            var texts: [String] = []
            for item in items { texts.append(try Texts.line(try Fields.text(item), upTo: Bounds.quickAnswer)) }
            self.texts = texts
        }
    }
}
