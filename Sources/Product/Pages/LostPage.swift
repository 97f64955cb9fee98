import API
import Domain
import HTTP
import Languages

/// What somebody sees who has come to an address where there is nothing, nothing for who is not signed in, or too much already.
/// Programs get the problem.
enum LostPage {
    static func seen(instead problem: Problem, by request: Request) -> Response? {
        guard ["GET", "HEAD", "POST"].contains(request.method), !request.path.hasPrefix("/v1/"),
            request.prefersToJSON("text/html")
        else { return nil }
        let language = request.acceptedLanguage.rawValue
        let page =
            switch problem.status {
            case .notFound: lost[language]
            case .unauthenticated: signedOut[language]
            case .tooManyRequests: crowded[language]
            default: nil as Response?
            }
        guard var page else { return nil }
        page.headers += problem.headers
        return page
    }

    // In each language. They are made once, since nothing bounds how often they are asked for.
    private static let lost = answers(.notFound, "lost", [("/", "lost_start")])
    private static let signedOut = answers(
        .unauthenticated, "lost_closed", [("/store", "start_store"), ("/courier", "start_courier")])
    private static let crowded = answers(.tooManyRequests, "lost_crowded", [])

    private static func answers(
        _ status: Status, _ words: String, _ ways: [(path: String, words: String)]
    ) -> [String: Response] {
        Dictionary(uniqueKeysWithValues: Languages.all.map { ($0.code, answer(status, words, ways, in: $0)) })
    }

    private static func answer(
        _ status: Status, _ name: String, _ ways: [(path: String, words: String)], in words: LanguageWords
    ) -> Response {
        let text = { HTMLPage.escaped(words.pages[$0] ?? "") }
        let links = ways.map { "<a class=\"button\" href=\"\($0.path)\">\(text($0.words))</a>" }
        var page = HTMLPage.card(
            words.pages["\(name)_title"] ?? "", words.code,
            """
            <p class="lead">\(text(name))</p>
            \(links.isEmpty ? "" : "<p>\(links.joined(separator: " "))</p>")
            """)
        page.isPrivate = true
        return page.response(status)
    }
}
