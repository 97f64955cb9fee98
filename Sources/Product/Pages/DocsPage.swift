import API
import Domain
import HTTP
import Languages

/// The description of the API as a page. Its own words are in the reader's language; the descriptions are in English.
struct DocsPage {
    let endpoints: [Endpoint]
    let words: LanguageWords

    var page: HTMLPage {
        HTMLPage(
            title: "Kurir: \(text("docs_title"))", language: words.code,
            body: """
                <header><p class="brand">\(Mark.svg) Kurir</p>
                <h1>\(say(text("docs_title")))</h1>
                <p>\(say(text("docs_programs"))) <a href="/openapi.json">openapi.json</a></p>
                <nav aria-label="\(say(text("docs_parts")))"><ul class="parts" lang="en">\(rooms.map(link).joined())</ul></nav>
                <div id="try"\(wordsOfScript)></div></header>
                <main lang="en">\(rooms.map(section).joined(separator: "\n"))</main>
                """, style: Self.style, script: "/assets/docs/docs.js", varyingBy: ["Accept-Language"])
    }

    /// What the script says, by the names that it knows it by.
    private var wordsOfScript: String {
        [
            ("token", text("docs_token")), ("hint", text("docs_tokenHint")), ("more", text("docs_more")),
            ("parameters", text("docs_parameters")),
            ("body", text("docs_body")), ("answer", text("docs_answer")), ("try", text("docs_try")),
            ("unreachable", text("unreachable")),
        ].map { " data-\($0)=\"\(say($1))\"" }.joined()
    }

    private func text(_ name: String) -> String { words.pages[name] ?? "" }
    private func say(_ text: String) -> String { HTMLPage.escaped(text) }

    private var rooms: [(name: String, calls: [Endpoint])] {
        Dictionary(grouping: endpoints, by: \.room).map { ($0.key, $0.value) }.sorted { $0.name < $1.name }
    }

    private func link(_ room: String, _ calls: [Endpoint]) -> String {
        "<li><a href=\"#\(place(room))\">\(HTMLPage.escaped(room))</a></li>"
    }

    private func section(_ room: String, _ calls: [Endpoint]) -> String {
        "<section><h2 id=\"\(place(room))\">\(HTMLPage.escaped(room))</h2>\(calls.map(article).joined())</section>"
    }

    private func place(_ room: String) -> String {
        String(room.lowercased().map { $0.isLetter ? $0 : "-" })
    }

    private func article(_ endpoint: Endpoint) -> String {
        let path = HTMLPage.escaped(endpoint.path)
        return """
            <article data-call="\(endpoint.method.rawValue) \(path)">
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

    private static let style = """
        body{max-width:60rem;margin:0 auto;padding:32px 16px}
        article{border-top:1px solid var(--line);padding:16px 0}
        h2{margin:32px 0 8px;font-size:24px;line-height:1.2;font-weight:650}
        h3{margin:0 0 8px;font-size:15px}
        h4{margin:16px 0 4px;font-size:15px}
        code,pre,textarea{font-family:ui-monospace,monospace;font-size:13px}
        .method{display:inline-block;min-width:4.5rem;text-transform:uppercase;color:var(--accent)}
        .parts{display:flex;flex-wrap:wrap;gap:4px 16px;margin:0 0 16px;padding:0;list-style:none}
        dl{display:grid;grid-template-columns:minmax(4rem,max-content) 1fr;gap:2px 16px;margin:8px 0}
        dd{margin:0;color:var(--soft)}
        summary{cursor:pointer;padding:4px 0}
        pre{overflow:auto;max-height:24rem;margin:8px 0;padding:12px;border-radius:8px;background:var(--paper);border:1px solid var(--line)}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;overflow-wrap:normal}
        td{padding:4px 12px 4px 0;border-bottom:1px solid var(--line);vertical-align:top;text-align:left}
        input,textarea{font-size:15px;padding:8px;border:1px solid var(--soft);border-radius:8px;background:var(--paper);color:var(--ink);max-width:100%}
        textarea{width:100%}
        button{width:auto;min-height:44px;margin:0;padding:8px 20px;font-size:15px}
        """
}
