import Domain
import HTTP
import Postgres

/// A message on its way to the outbox: written in every language that there is, so that the statement which knows the
/// recipient picks the recipient's.
package struct Message: Sendable {
    package let kind: NotificationKind
    /// What the app needs to open the right place.
    package let data: [String: JSON]
    package let texts: [(language: Language, title: String, body: String)]

    /// `arguments` are what the wording's placeholders stand for.
    package init(_ kind: NotificationKind, _ arguments: [String: String], data: [String: JSON]) {
        self.kind = kind
        self.data = data.merging(["type": .string(kind.rawValue)]) { given, _ in given }
        texts = Language.known.map { language in
            let text = Wording.message(kind, in: language, arguments)
            return (language, text.title, text.body)
        }
    }

    /// As ``Tell`` takes it, but for whom it is.
    package var notice: [String: JSON] {
        let texts = texts.map { ($0.language.rawValue, JSON.array([.string($0.title), .string($0.body)])) }
        return [
            "kind": .string(kind.rawValue), "data": .object(data),
            "texts": .object(Dictionary(uniqueKeysWithValues: texts)),
        ]
    }

    /// The same as a parameter, to which a statement adds for whom it is.
    package var parameter: JSONB { JSONB(utf8: JSON.object(notice).bytes) }
}
