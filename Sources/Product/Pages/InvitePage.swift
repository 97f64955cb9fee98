import Domain
import HTTP
import Languages

/// The page behind an invite's link.
struct InvitePage {
    let words: LanguageWords

    func live(store: String, message: String?, code: InviteCode) -> HTMLPage {
        let said = message.map { "<blockquote>\(Self.lines($0))</blockquote>" } ?? ""
        return page(
            text("invite_title"),
            """
            <p>\(HTMLPage.escaped(LanguageWords.fill(text("invite_text"), ["store": store])))</p>
            \(said)
            <p class="code"><code>\(HTMLPage.escaped(code.shown))</code></p>
            <p><a href="/courier#invite=\(HTMLPage.escaped(code.shown))">\(HTMLPage.escaped(text("invite_here")))</a></p>
            <p>\(HTMLPage.escaped(text("invite_how")))</p>
            """)
    }

    /// The page of an invite that is over. Somebody who has used it may come this way again.
    var over: HTMLPage {
        page(
            text("invite_over_title"),
            """
            <p>\(HTMLPage.escaped(text("invite_over")))</p>
            <p><a href="/courier">\(HTMLPage.escaped(text("invite_to_app")))</a></p>
            """)
    }
    var unknown: HTMLPage { page(text("invite_unknown_title"), "<p>\(HTMLPage.escaped(text("invite_unknown")))</p>") }

    private static func lines(_ text: String) -> String {
        text.split(separator: "\n").map { HTMLPage.escaped(String($0)) }.joined(separator: "<br>")
    }

    private func text(_ name: String) -> String { words.pages[name] ?? "" }

    private func page(_ title: String, _ body: String) -> HTMLPage {
        HTMLPage(
            title: title, language: words.code,
            body: "<main><h1>\(HTMLPage.escaped(title))</h1>\(body)</main>")
    }
}
