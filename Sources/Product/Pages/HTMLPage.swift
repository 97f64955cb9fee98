import Crypto
import HTTP

/// A page without scripts. Browsers accept no style but its own.
struct HTMLPage {
    let title: String
    let language: String
    /// The body, which is markup already.
    let body: String
    /// Whether it has a form.
    var hasForm = false

    func response(_ status: Status = .ok) -> Response {
        Response(
            status, headers: [Response.Header("Content-Security-Policy", policy)],
            body: .bytes(Array(html.utf8), type: Self.type))
    }

    static let type = "text/html; charset=utf-8"

    private var html: String {
        """
        <!doctype html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Self.escaped(title))</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        \(body)
        </body>
        </html>
        """
    }

    private static let style = """
        :root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
        body{max-width:46rem;margin:2rem auto;padding:0 1rem}
        article{border-top:1px solid #8886;padding:.5rem 0}
        h3{margin:.5rem 0;font-size:1rem}
        code{font-family:ui-monospace,monospace}
        .method{display:inline-block;min-width:4.5rem;text-transform:uppercase}
        .code{font-size:1.75rem;letter-spacing:.1em}
        button{font:inherit;min-height:3.5rem;padding:.5rem 1.5rem;border:0;border-radius:.5rem;background:#1d6b4a;color:#fff}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}
        dd{margin:0}
        """

    private var policy: String {
        "default-src 'none'; style-src 'sha256-\(Self.styleHash)'; "
            + "base-uri 'none'; form-action '\(hasForm ? "self" : "none")'; frame-ancestors 'none'"
    }
    private static let styleHash = Base64.encode(SHA256.hash(style))

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
