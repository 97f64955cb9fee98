import Domain
import HTTP
import Postgres

/// A message on its way to the outbox: written in every language that there is, so that the statement which knows the
/// recipient picks the recipient's.
struct Message: Sendable {
    let kind: NotificationKind
    /// What the app needs to open the right place.
    let data: [String: JSON]
    let texts: [(language: Language, title: String, body: String)]

    /// `arguments` are what the wording's placeholders stand for.
    init(_ kind: NotificationKind, _ arguments: [String: String], data: [String: JSON]) {
        self.kind = kind
        self.data = data.merging(["type": .string(kind.rawValue)]) { given, _ in given }
        texts = Language.known.map { language in
            let text = Wording.message(kind, in: language, arguments)
            return (language, text.title, text.body)
        }
    }

    /// Adds five parameters: kind, data, and the languages with their titles and bodies, for
    /// `unnest($3, $4, $5) AS text(language, title, body)`.
    func bind(into parameters: inout Parameters) {
        parameters.add(kind.rawValue)
        parameters.add(JSONB(utf8: JSON.object(data).bytes))
        parameters.add(texts.map(\.language.rawValue))
        parameters.add(texts.map(\.title))
        parameters.add(texts.map(\.body))
    }
}
