/// What messages say, in every language that there is a file of wording for.
public enum Wording {
    /// A new language is a file like `Wording+English.swift`, and its place in this list.
    static let languages = [english, croatian]

    /// The words of a message. What its arguments stand for goes in as it is; those that are missing are left out.
    public static func message(
        _ kind: NotificationKind, in language: Language, _ arguments: [String: String]
    ) -> (title: String, body: String) {
        let words = languages.first { $0.language == language } ?? english
        return words.message(kind, arguments)
    }
}

/// The wording of one language.
struct Words: Sendable {
    let language: Language
    /// Which of the forms in a template goes with a number.
    private let plural: @Sendable (_ number: Int) -> Int
    private let templates: [NotificationKind: MessageTemplate]

    /// `template` is a switch over all kinds, so that none can be forgotten.
    init(
        _ language: Language, plural: @escaping @Sendable (_ number: Int) -> Int,
        template: (NotificationKind) -> MessageTemplate
    ) {
        self.language = language
        self.plural = plural
        templates = Dictionary(uniqueKeysWithValues: NotificationKind.allCases.map { ($0, template($0)) })
    }

    func template(_ kind: NotificationKind) -> MessageTemplate { templates[kind]! }

    func message(_ kind: NotificationKind, _ arguments: [String: String]) -> (title: String, body: String) {
        let template = template(kind)
        return (
            template.title.filled(with: arguments, plural: plural),
            template.body.filled(with: arguments, plural: plural)
        )
    }
}

/// What a message of one kind says in one language.
struct MessageTemplate: Sendable {
    let title: Template
    let body: Template

    init(_ title: Template, _ body: Template) {
        self.title = title
        self.body = body
    }
}
