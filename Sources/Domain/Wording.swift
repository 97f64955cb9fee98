import Languages

/// What messages say, in every language that there is.
public enum Wording {
    /// The words of a message. The values of its arguments are inserted as they are, and missing ones are left out. The
    /// reason for a step is said in the language's own words.
    public static func message(
        _ kind: NotificationKind, in language: Language, _ arguments: [String: String],
        because reason: (any ReasonWords)? = nil
    ) -> (title: String, body: String) {
        (templates[language] ?? templates[.fallback]!).message(kind, arguments, because: reason)
    }

    /// What an SMS says of it: nothing that somebody wrote but names, and those as ``PlainName`` has them.
    public static func sms(
        _ kind: NotificationKind, in language: Language, _ arguments: [String: String],
        because reason: (any ReasonWords)? = nil
    ) -> String {
        var said = arguments.filter { ours.contains($0.key) }
        for name in names { said[name] = arguments[name].map(PlainName.of) }
        return message(kind, in: language, said, because: reason).body
    }

    /// The arguments that nobody wrote, and those that are names.
    private static let ours: Set<String> = ["code", "url", "minutes", "hours", "count"]
    private static let names: Set<String> = ["store", "courier"]

    static let templates = Dictionary(
        uniqueKeysWithValues: Languages.all.map { (Language(wordedAs: $0.code), MessageTemplates($0)) })
}

/// What messages say in one language. Each message asks it, and copies nothing of it.
final class MessageTemplates: Sendable {
    private let words: LanguageWords
    private let templates: [NotificationKind: (title: Template, body: Template)]

    init(_ words: LanguageWords) {
        self.words = words
        templates = Dictionary(
            uniqueKeysWithValues: NotificationKind.allCases.map { kind in
                guard let title = words.messages[kind.rawValue], let body = words.messages["\(kind.rawValue).body"]
                else { preconditionFailure("\(words.code)/messages.txt has no \(kind.rawValue)") }
                return (kind, (Template(title), Template(body)))
            })
    }

    func template(_ kind: NotificationKind) -> (title: Template, body: Template) { templates[kind]! }

    func message(
        _ kind: NotificationKind, _ arguments: [String: String], because reason: (any ReasonWords)?
    ) -> (title: String, body: String) {
        let (title, body) = template(kind)
        var arguments = arguments
        if let reason { arguments["reason"] = words.pages[reason.word] }
        return (
            title.filled(with: arguments, plural: words.form(of:)),
            body.filled(with: arguments, plural: words.form(of:))
        )
    }
}
