import Crypto
import HTTP

/// A page that says its part without scripts. Browsers accept no style but its own.
struct HTMLPage {
    let title: String
    let language: String
    /// The body, which is markup already.
    let body: String
    /// Whether it has a form.
    var hasForm = false
    /// What it looks like besides what all of them have in common.
    var style = ""
    /// From where it shows pictures besides this server.
    var pictures: [String] = []
    /// Whether its script may load style sheets of this server.
    var styleSheets = false
    /// Whether only those read it who have its link: no search engine, and no browser afterwards.
    var isPrivate = false
    /// The place of a script that adds to it.
    var script: String?
    /// The place of its icon.
    var icon = "/favicon.ico"
    /// What the answer depends on besides its address.
    var varyingBy: [String] = []

    func response(_ status: Status = .ok) -> Response {
        Response(status, headers: headers, body: .bytes(Array(html.utf8), type: Self.type))
    }

    /// For a page that is the same for everybody.
    var fixed: FixedAnswer { FixedAnswer(Array(html.utf8), type: Self.type, headers: headers, varyingBy: varyingBy) }

    private var headers: [Response.Header] {
        [Response.Header("Content-Security-Policy", policy)] + (isPrivate ? Self.hiding : [])
    }

    private static let hiding = [
        Response.Header("Cache-Control", "no-store"), Response.Header("X-Robots-Tag", "noindex, nofollow, noarchive"),
    ]

    static let type = "text/html; charset=utf-8"

    private var html: String {
        """
        <!doctype html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        \(isPrivate ? "<meta name=\"robots\" content=\"noindex, nofollow\">\n" : "")<title>\(Self.escaped(title))</title>
        <link rel="icon" href="\(icon)">
        <style>\(Self.style)\(style)</style>
        \(script.map { "<script type=\"module\" src=\"\($0)\"></script>" } ?? "")
        </head>
        <body>
        \(body)
        </body>
        </html>
        """
    }

    /// Somebody's name, with its letters where others have a picture.
    static func heading(of name: String) -> String {
        let letters = name.split(separator: " ").prefix(2).compactMap(\.first).map(String.init).joined().uppercased()
        return "<h1 data-face=\"\(escaped(letters))\">\(escaped(name))</h1>"
    }

    /// Whose page it is.
    static let brand = "<p class=\"brand\">\(Mark.svg) Kurir</p>"

    /// A page that says one thing: a card with a heading, below the mark; or below somebody's name, which comes first.
    static func card(_ title: String, _ language: String, _ body: String, hasForm: Bool = false, isName: Bool = false)
        -> HTMLPage
    {
        HTMLPage(
            title: title, language: language,
            body: """
                <main class="card">\(isName ? heading(of: title) : "\(brand)\n<h1>\(escaped(title))</h1>")
                \(body)\(isName ? brand : "")</main>
                """, hasForm: hasForm)
    }

    private static let style = """
        :root{color-scheme:light dark;--ground:#f4f5f2;--paper:#fff;--ink:#161d19;--soft:#56625b;--line:#dfe4e0;--accent:#146048;--on:#fff;
        font:15px/1.45 system-ui,sans-serif}
        @media(prefers-color-scheme:dark){:root{--ground:#0f1412;--paper:#18201c;--ink:#e8efea;--soft:#a3b0a8;--line:#2c3731;--accent:#6fd3a4;--on:#08130e}}
        *{box-sizing:border-box}
        body{margin:0;padding:16px;background:var(--ground);color:var(--ink);overflow-wrap:anywhere}
        a{color:var(--accent)}
        :focus-visible{outline:3px solid #3f87c9;outline-offset:2px}
        h1{margin:0 0 8px;font-size:32px;line-height:1.2;font-weight:650;text-wrap:balance}
        p{margin:0 0 12px}
        .card{max-width:448px;margin:max(16px,10vh) auto 0;padding:32px;border-radius:16px;background:var(--paper);border:1px solid var(--line)}
        .brand{display:flex;align-items:center;gap:8px;margin:0 0 24px;color:var(--accent);font-size:18px;font-weight:650}
        nav~.brand{margin:16px 0 0;font-size:15px;justify-content:center}
        .brand svg{width:28px;height:28px;border-radius:8px}
        .lead{font-size:18px}
        [data-face]{display:flex;align-items:center;gap:12px}
        [data-face]::before{content:attr(data-face) / "";flex:none;display:grid;place-items:center;width:44px;height:44px;border-radius:50%;background:var(--accent);color:var(--on);font-size:18px}
        .hint{color:var(--soft)}
        blockquote{margin:0 0 12px;padding:4px 0 4px 16px;border-left:3px solid var(--accent)}
        .code{font:650 15px ui-monospace,monospace;letter-spacing:.08em;color:var(--ink);white-space:nowrap}
        .button,button{display:block;width:100%;min-height:56px;margin:24px 0;padding:16px;border:0;border-radius:8px;background:var(--accent);color:var(--on);font:650 18px/24px system-ui,sans-serif;text-align:center;text-decoration:none;cursor:pointer}
        @media(max-width:480px){.card{margin:0;padding:24px 20px}}
        """

    private var policy: String {
        "default-src 'none'; style-src 'sha256-\(Base64.encode(SHA256.hash(Self.style + style)))'\(styleSheets ? " 'self'" : ""); "
            + (script == nil ? "" : "script-src 'self'; connect-src 'self'; ")
            + "img-src \((["'self'"] + pictures).joined(separator: " ")); "
            + "base-uri 'none'; form-action '\(hasForm ? "self" : "none")'; frame-ancestors 'none'"
    }

    /// The markup that shows a text.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
