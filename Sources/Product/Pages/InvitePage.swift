import Domain
import HTTP
import Languages

/// The page behind an invite's link.
struct InvitePage {
    let language: ChosenLanguage

    func live(store: String, message: String?, code: InviteCode) -> HTMLPage {
        let said = message.map { "<blockquote>\(Self.lines($0))</blockquote>" } ?? ""
        return page(
            store,
            """
            <p class="lead">\(HTMLPage.escaped(text("invite_text")))</p>
            \(said)
            <ul class="gains">\(gains)</ul>
            <p><a class="button" href="/courier\(language.query)#invite=\(HTMLPage.escaped(code.shown))">\(HTMLPage.escaped(text("invite_here")))</a></p>
            <p class="hint">\(HTMLPage.escaped(text("invite_how"))) <span class="code">\(HTMLPage.escaped(code.shown))</span></p>
            """, isName: true)
    }

    /// What it means for who accepts.
    private var gains: String {
        [text("invite_choose"), text("invite_know"), text("invite_when")]
            .map { "<li>\(HTMLPage.escaped($0))</li>" }.joined(separator: "\n")
    }

    /// The page of an invite that is over. Somebody who has used it may come this way again.
    var over: HTMLPage {
        page(
            text("invite_over_title"),
            """
            <p class="lead">\(HTMLPage.escaped(text("invite_over")))</p>
            <p><a class="button" href="/courier\(language.query)">\(HTMLPage.escaped(text("invite_to_app")))</a></p>
            """)
    }
    var unknown: HTMLPage {
        page(
            text("invite_unknown_title"),
            """
            <p class="lead">\(HTMLPage.escaped(text("invite_unknown")))</p>
            <p><a class="button" href="/courier\(language.query)">\(HTMLPage.escaped(text("invite_to_app")))</a></p>
            """)
    }

    private static func lines(_ text: String) -> String {
        text.split(separator: "\n").map { HTMLPage.escaped(String($0)) }.joined(separator: "<br>")
    }

    private func text(_ name: String) -> String { language.words.pages[name] ?? "" }

    private func page(_ title: String, _ body: String, isName: Bool = false) -> HTMLPage {
        var page = HTMLPage.card(
            title, language.words.code,
            """
            \(body)
            <nav aria-label="\(HTMLPage.escaped(text("language")))">\(language.links)</nav>
            """, isName: isName)
        page.style = Self.style
        return page
    }

    private static let style = """
        nav{position:absolute;top:8px;right:8px;display:flex}
        nav a{min-height:44px;padding:12px;border-radius:8px;color:var(--soft);font-weight:650;text-decoration:none}
        nav [aria-current]{background:var(--line);color:var(--accent)}
        .card .brand{justify-content:flex-start}
        .card>p:last-of-type>.button{margin-bottom:0}
        .lead{text-wrap:balance}
        [data-face]{display:block}
        [data-face]::before{width:64px;height:64px;margin:0 0 16px;font-size:24px}
        .gains{margin:16px 0 24px;padding:0;list-style:none}
        .gains li{position:relative;padding:6px 0 6px 34px}
        .gains li::before{content:"✓" / "";position:absolute;left:0;width:22px;height:22px;border-radius:50%;background:var(--accent);color:var(--on);font-size:13px;line-height:22px;text-align:center}
        body{display:grid;min-height:100vh;align-content:center;padding-top:64px}.card{width:100%;margin:0 auto}
        """
}
