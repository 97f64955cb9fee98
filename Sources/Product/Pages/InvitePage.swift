import Domain
import HTTP

/// The page behind an invite's link.
struct InvitePage {
    let words: InvitePageWords

    func live(store: String, code: InviteCode) -> HTMLPage {
        page(
            words.title,
            """
            <p>\(HTMLPage.escaped(words.invites(store)))</p>
            <p class="code"><code>\(HTMLPage.escaped(code.shown))</code></p>
            <p><a href="/courier#invite=\(HTMLPage.escaped(code.shown))">\(HTMLPage.escaped(words.here))</a></p>
            <p>\(HTMLPage.escaped(words.howTo))</p>
            """)
    }

    /// Who has used it comes this way again.
    var over: HTMLPage {
        page(
            words.overTitle,
            """
            <p>\(HTMLPage.escaped(words.over))</p>
            <p><a href="/courier">\(HTMLPage.escaped(words.toApp))</a></p>
            """)
    }
    var unknown: HTMLPage { page(words.unknownTitle, "<p>\(HTMLPage.escaped(words.unknown))</p>") }

    private func page(_ title: String, _ body: String) -> HTMLPage {
        HTMLPage(
            title: title, language: words.language.rawValue,
            body: "<main><h1>\(HTMLPage.escaped(title))</h1>\(body)</main>")
    }
}

/// What the page says, in one language.
struct InvitePageWords: Sendable {
    let language: Language
    let title: String
    let invites: @Sendable (_ store: String) -> String
    let here: String
    let howTo: String
    let overTitle: String
    let over: String
    let toApp: String
    let unknownTitle: String
    let unknown: String

    static func `in`(_ language: Language) -> InvitePageWords {
        all.first { $0.language == language } ?? english
    }

    private static let all = [english, croatian]

    private static let english = InvitePageWords(
        language: .english, title: "An invitation to deliver",
        invites: { "\($0) invites you to deliver for them with Kurir." },
        here: "Accept it here, in the browser",
        howTo: "Or open the Kurir app, register or sign in with the number that was invited, and enter this code.",
        overTitle: "This invitation is over",
        over: "It was used, taken back, or has expired. Ask the store for a new one.",
        toApp: "To the couriers’ page",
        unknownTitle: "There is no such invitation",
        unknown: "Check that the link is complete, or ask the store for a new one.")

    private static let croatian = InvitePageWords(
        language: .croatian, title: "Poziv na suradnju",
        invites: { "\($0) poziva vas na dostavljanje uz Kurir." },
        here: "Prihvatite ga ovdje, u pregledniku",
        howTo: "Ili otvorite aplikaciju Kurir, registrirajte se ili prijavite pozvanim brojem i upišite ovaj kôd.",
        overTitle: "Ovaj poziv više ne vrijedi",
        over: "Iskorišten je, povučen ili je istekao. Zatražite od trgovine novi.",
        toApp: "Na stranicu za kurire",
        unknownTitle: "Takvog poziva nema",
        unknown: "Provjerite je li poveznica cijela ili zatražite od trgovine novi poziv.")
}
