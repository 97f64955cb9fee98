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
        let words = request.acceptedLanguage.words
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
