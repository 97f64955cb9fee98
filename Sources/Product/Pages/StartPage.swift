import Languages

/// The page for everybody who has no session: what Kurir is, how it goes, and both ways in. It needs no script.
struct StartPage {
    let language: ChosenLanguage
    /// Where its files are.
    let assets: String

    var html: String {
        """
        <!doctype html>
        <html lang="\(words.code)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="description" content="\(say(text("start_what")))">
        <title>Kurir · \(say(text("start_title")))</title>
        <link rel="icon" href="\(assets)/icon.svg">
        <link rel="stylesheet" href="\(assets)/style.css">
        <link rel="stylesheet" href="\(assets)/start.css">
        <script src="\(assets)/scheme.js"></script>
        <script src="\(assets)/start.js"></script>
        </head>
        <body class="start">
        <header class="bar"><span class="brand">\(Mark.svg)Kurir</span>
        <nav aria-label="\(say(text("language")))">\(language.links)</nav></header>
        <main>
        <section class="hero"><div>
        <h1>\(say(text("start_title")))</h1>
        <p class="lead">\(say(text("start_what")))</p>
        <p class="doors">\(door("/store", text("start_store"), text("start_storeText")))
        \(door("/courier", text("start_courier"), text("start_courierText")))</p>
        <p class="in">\(say(text("start_sign"))) \(way("/store", text("start_inStore"))) · \(way("/courier", text("start_inCourier")))</p></div>
        \(board)
        </section>
        <ol class="ways">
        \(step(Self.offering, text("how_offer"), text("how_offerText")))
        \(step(Self.accepting, text("how_accept"), text("how_acceptText")))
        \(step(Self.knowing, text("how_know"), text("how_knowText")))
        </ol>
        </main>
        <footer><p>\(say(text("start_free")))</p><p><a href="/docs?language=\(words.code)">\(say(text("start_api")))</a></p></footer>
        </body>
        </html>
        """
    }

    private var words: LanguageWords { language.words }

    /// Who has an account already signs in.
    private func way(_ place: String, _ name: String) -> String {
        "<a href=\"\(place)\(language.query)\">\(say(name))</a>"
    }

    private func door(_ place: String, _ name: String, _ what: String) -> String {
        "<a class=\"door\" href=\"\(place)\(language.query)#new\"><strong>\(say(name))</strong> <span>\(say(what))</span></a>"
    }

    private func step(_ picture: String, _ title: String, _ what: String) -> String {
        "<li>\(picture)<h2>\(say(title))</h2><p>\(say(what))</p></li>"
    }

    private func text(_ name: String) -> String { words.pages[name] ?? "" }
    private func say(_ text: String) -> String { HTMLPage.escaped(text) }

    // The pictures take their colours from the style.

    /// A shop's board, and a courier's phone before it, where there is room for both.
    private var board: String {
        let rows = [
            ("urgent", "!", "12:30", "Iva I.", "Vukovarska 5"), ("pending", "◔", "12:45", "Jan P.", "Savska 102"),
            ("person", "➜", "13:00", "Mia Ć.", "Ilica 14"), ("person", "➜", "13:15", "Noa Ž.", "Dubrava 5"),
            ("pending", "◔", "13:30", "Ema R.", "Selska 9"), ("person", "➜", "13:45", "Vid B.", "Gajeva 21"),
        ].enumerated().map { place, row in
            let top = 80 + 44 * place
            return """
                <path class="line" d="M16 \(top)h388"/><path class="\(row.0)" d="M16 \(top + 1)h6v42h-6z"/>\
                <circle class="\(row.0)" cx="48" cy="\(top + 22)" r="11"/><text class="strong on" x="48" y="\(top + 27)">\(row.1)</text>\
                <text class="strong" x="72" y="\(top + 27)">\(row.2)</text><text class="strong" x="124" y="\(top + 27)">\(row.3)</text>\
                <text x="188" y="\(top + 27)">\(row.4)</text>
                """
        }.joined()
        return """
            <svg class="scene board" viewBox="0 0 480 400" aria-hidden="true"><rect class="paper" x="16" y="16" width="388" height="344" rx="14"/>\
            <text class="strong large" x="40" y="54">\(say(text("board")))</text>\
            <rect class="accent" x="240" y="32" width="148" height="32" rx="8"/>\
            <text class="strong on" x="314" y="53">\(say(text("newDelivery")))</text>\(rows)\
            <rect class="phone" x="308" y="140" width="148" height="244" rx="20"/>\
            <text class="strong large" x="324" y="180">Iva I.</text><text class="strong end" x="440" y="179">12:30</text>\
            <text x="324" y="202">Vukovarska 5</text>\
            <path class="way" d="M340 292c28 0 16-42 42-42s22 24 42 12"/><circle class="accent" cx="338" cy="292" r="12"/>\
            <path class="tick thin" d="M332 292v5h12v-5M330 293l8-7 8 7"/><circle class="person" cx="426" cy="260" r="12"/>\
            <text class="strong on" x="426" y="265">A</text>\
            <rect class="accent" x="324" y="328" width="116" height="38" rx="10"/>\
            <text class="strong on" x="382" y="352">\(say(text("do_deliver")))</text></svg>
            """
    }

    /// A delivery on a board, and those to whom it is offered.
    private static let offering = """
        <svg class="scene" viewBox="0 0 320 180" aria-hidden="true"><rect class="paper" x="24" y="28" width="176" height="124" rx="12"/>\
        <path class="line" d="M44 84h136"/><circle class="pending" cx="52" cy="57" r="7"/>\
        <text class="strong" x="70" y="62">12:45 Mia Ć.</text><text x="46" y="112">Ilica 14</text>\
        <path class="way" d="M200 90c40 0 30-54 58-54M200 90h58M200 90c40 0 30 54 58 54"/>\
        <circle class="person" cx="276" cy="36" r="14"/><circle class="person" cx="276" cy="90" r="14"/>\
        <circle class="person" cx="276" cy="144" r="14"/>\
        <text class="strong on" x="276" y="41">A</text><text class="strong on" x="276" y="95">I</text>\
        <text class="strong on" x="276" y="149">M</text></svg>
        """
    /// A phone with an offer and its button.
    private static let accepting = """
        <svg class="scene" viewBox="0 0 320 180" aria-hidden="true"><rect class="phone" x="104" y="8" width="112" height="200" rx="18"/>\
        <path class="line" d="M148 20h24"/><circle class="pending" cx="124" cy="48" r="6"/>\
        <text class="strong" x="138" y="53">Mia Ć.</text><text x="118" y="76">Ilica 14</text><text x="118" y="98">12:45</text>\
        <rect class="accent" x="116" y="116" width="88" height="40" rx="10"/><path class="tick" d="m149 136 8 8 16-16"/>\
        <path class="ring" d="M86 60a44 44 0 0 0 0 52M68 48a68 68 0 0 0 0 76M234 60a44 44 0 0 1 0 52M252 48a68 68 0 0 1 0 76"/></svg>
        """
    /// The way to a door, with the steps that the shop sees.
    private static let knowing = """
        <svg class="scene" viewBox="0 0 320 180" aria-hidden="true"><path class="way" d="M40 140c60 0 48-72 108-72s48 40 116-20"/>\
        <circle class="accent" cx="40" cy="140" r="14"/><path class="tick thin" d="M33 140v6h14v-6M31 141l9-8 9 8"/>\
        <circle class="person" cx="148" cy="68" r="14"/>\
        <text class="strong on" x="148" y="73">A</text><rect class="paper" x="116" y="16" width="64" height="30" rx="8"/>\
        <text class="strong" x="148" y="36" text-anchor="middle">12:25</text>\
        <path class="accent" d="M264 20a24 24 0 0 1 24 24c0 18-24 40-24 40s-24-22-24-40a24 24 0 0 1 24-24z"/><path class="tick" d="m254 44 8 8 14-16"/></svg>
        """
}
