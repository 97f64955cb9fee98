import API
import Domain
import HTTP
import Languages

/// What somebody sees who has come to an address where there is nothing. Programs get the problem.
enum LostPage {
    static func seen(by request: Request) -> Response? {
        guard ["GET", "HEAD"].contains(request.method), !request.path.hasPrefix("/v1/"),
            request.prefersToJSON("text/html")
        else { return nil }
        return answers[request.acceptedLanguage.rawValue]
    }

    /// In each language. It is made once, since nothing bounds how often it is asked for.
    private static let answers = Dictionary(uniqueKeysWithValues: Languages.all.map { ($0.code, answer(in: $0)) })

    private static func answer(in words: LanguageWords) -> Response {
        let text = { HTMLPage.escaped(words.pages[$0] ?? "") }
        var page = HTMLPage.card(
            words.pages["lost_title"] ?? "", words.code,
            """
            <p class="lead">\(text("lost"))</p>
            <p><a class="button" href="/">\(text("lost_start"))</a></p>
            """)
        page.isPrivate = true
        return page.response(.notFound)
    }
}
