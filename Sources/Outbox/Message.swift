import Domain
import HTTP
import Postgres

/// A message on its way to the outbox. It is written in every language, so that the statement that knows the recipient
/// can pick the recipient's.
package struct Message: Sendable {
    package let kind: NotificationKind
    /// The data that the app needs to open the right place.
    package let data: [String: JSON]
    package let texts: [(language: Language, title: String, body: String)]
    /// What an SMS says in its body's place, by language, for a kind that goes by SMS.
    private let sms: [Language: String]

    /// `arguments` are the values of the wording's placeholders, and `reason` is why a step was taken. `lastLine`
    /// stands below the words: a link, or what a program reads.
    package init(
        _ kind: NotificationKind, _ arguments: [String: String] = [:], because reason: (any ReasonWords)? = nil,
        data: [String: JSON] = [:], lastLine: String? = nil
    ) {
        self.kind = kind
        self.data = data.merging(["type": .string(kind.rawValue)]) { given, _ in given }
        let ending = lastLine.map { "\n\n" + $0 } ?? ""
        texts = Language.known.map { language in
            let text = Wording.message(kind, in: language, arguments, because: reason)
            return (language, text.title, text.body + ending)
        }
        let said = kind.goesBySMS ? Language.known : []
        sms = Dictionary(
            uniqueKeysWithValues: said.map { ($0, Wording.sms(kind, in: $0, arguments, because: reason) + ending) })
    }

    /// The message as ``Tell`` takes it, without its recipients.
    package var notice: [String: JSON] {
        let texts = texts.map { language, title, body in
            (
                language.rawValue,
                JSON.array([.string(title), .string(body)] + (sms[language].map { [.string($0)] } ?? []))
            )
        }
        return [
            "kind": .string(kind.rawValue), "data": .object(data),
            "texts": .object(Dictionary(uniqueKeysWithValues: texts)),
        ]
    }

    /// The same as a parameter, to which a statement adds the recipients.
    package var parameter: JSONB { JSONB(utf8: JSON.object(notice).bytes) }
}
