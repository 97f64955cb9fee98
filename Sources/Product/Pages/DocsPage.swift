import API
import Domain
import HTTP

/// The description of the API as a page.
struct DocsPage {
    let endpoints: [Endpoint]

    var page: HTMLPage {
        HTMLPage(
            title: "Kurir: the API", language: "en",
            body: """
                <h1>Kurir: the API</h1>
                <p>The same for programs: <a href="/openapi.json">openapi.json</a>.</p>
                \(sections)
                """)
    }

    private var sections: String {
        let rooms = Dictionary(grouping: endpoints, by: \.room)
        return rooms.sorted { $0.key < $1.key }.map { room, endpoints in
            "<section><h2>\(HTMLPage.escaped(room))</h2>\(endpoints.map(article).joined())</section>"
        }.joined(separator: "\n")
    }

    private func article(_ endpoint: Endpoint) -> String {
        let path = HTMLPage.escaped(endpoint.path)
        return """
            <article>
            <h3><code><span class="method">\(endpoint.method.rawValue)</span>\(path)</code></h3>
            <p>\(HTMLPage.escaped(endpoint.summary)). \(endpoint.audience)</p>
            <dl>\((fields(endpoint) + answers(endpoint)).map(line).joined())</dl>
            </article>
            """
    }

    private func fields(_ endpoint: Endpoint) -> [(String, String)] {
        let query = endpoint.query.map { ("?\($0.name)", $0.what) }
        let body = (endpoint.body?.members ?? []).map { ($0.name, $0.isRequired ? "required" : "optional") }
        return query + body
    }

    private func answers(_ endpoint: Endpoint) -> [(String, String)] {
        endpoint.answers.map { (String($0.status.code), $0.what) }
            + endpoint.refusals.map { (String($0.status.code), $0.code) }
    }

    private func line(_ term: String, _ meaning: String) -> String {
        "<dt><code>\(HTMLPage.escaped(term))</code></dt><dd>\(HTMLPage.escaped(meaning))</dd>"
    }
}
