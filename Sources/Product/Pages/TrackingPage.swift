import API
import Deliveries
import Domain
import HTTP
import Languages
import Places
import Postgres

/// The page by which a recipient follows a delivery. It says everything without a script; with one it is live, and has a map.
struct TrackingPage {
    let words: TrackingWords
    /// Where its files are.
    let assets: String
    let map: MapView

    init(_ request: Request, assets: String, map: MapView) {
        (words, self.assets, self.map) = (TrackingWords(request.acceptedLanguage), assets, map)
    }

    /// `refused` is what was written and not taken: it is there to be changed.
    func page(_ tracked: TrackedDelivery, _ token: String, refused: String? = nil) -> HTMLPage {
        let typed = refused ?? ""
        var page = HTMLPage(
            title: "\(tracked.storeName) · Kurir", language: words.words.code,
            body: """
                <main class="track" data-token="\(HTMLPage.escaped(token))">\(HTMLPage.heading(of: tracked.storeName))
                \(refused == nil ? "" : refusal)
                <div data-part="state" role="status" aria-live="polite">\(state(tracked))</div>
                <div data-part="steps">\(steps(tracked))</div>
                <div data-part="times">\(times(tracked))</div>
                <div id="map"\(tracked.position == nil ? " hidden" : "") data-label="\(text("track_map"))" \
                data-courier="\(text("track_map_courier"))" data-here="\(text("track_map_here"))" \(map.attributes)></div>
                <div data-part="cash">\(cash(tracked))</div>
                <div data-part="pin">\(pin(tracked))</div>
                <div data-part="wish">\(wish(tracked, token, typed))</div>
                <div data-part="rating">\(rating(tracked, token, typed))</div>
                <div data-part="call">\(tracked.state == .attemptFailed ? "" : call(tracked))</div>
                <footer>\(HTMLPage.brand)</footer></main>
                """, hasForm: true, style: Self.style, script: "\(assets)/track.js")
        page.isPrivate = true
        page.styleSheets = true
        page.icon = "\(assets)/icon.svg"
        page.pictures = map.origins
        return page
    }

    var over: HTMLPage { gone(text("track_over_title"), text("track_over")) }
    var unknown: HTMLPage { gone(text("track_unknown_title"), text("track_unknown")) }

    private func gone(_ title: String, _ body: String) -> HTMLPage {
        var page = HTMLPage.card(
            title, words.words.code, "<p class=\"lead\">\(body)</p>")
        page.isPrivate = true
        return page
    }

    // MARK: Parts

    private func state(_ tracked: TrackedDelivery) -> String {
        """
        <p class="said \(tracked.state.rawValue)\(tracked.isAnswered ? " answered" : "")"><span class="sign" aria-hidden="true">\(Self.signs[tracked.state] ?? "")</span>\
        <span>\(HTMLPage.escaped(words.text(tracked)))\(arrival(tracked))</span></p>\(attempt(tracked))\(tracked.state == .attemptFailed ? call(tracked) : "")
        """
    }

    /// Why it could not be handed over, and what the recipient can do about it.
    private func attempt(_ tracked: TrackedDelivery) -> String {
        guard let attempt = tracked.attempt else { return "" }
        if attempt.reason == .other { return "" }
        let isMissed = [.nobodyHome, .unreachable].contains(attempt.reason) && !tracked.storePhone.isEmpty
        let next = isMissed ? " " + text("track_failed_next", ["store": tracked.storeName]) : ""
        return "<p class=\"why\">\(text(attempt.reason.word)).\(next)</p>"
    }

    private static let signs: [TrackedDelivery.State: String] = [
        .waiting: "◔", .accepted: "➜", .onTheWay: "➜", .attemptFailed: "!", .delivered: "✓", .cancelled: "✕",
    ]

    /// When it is expected, else by when it is promised. Whoever was brought it in vain waits for another time.
    private func arrival(_ tracked: TrackedDelivery) -> String {
        guard tracked.status.isOpen, tracked.state != .attemptFailed else { return "" }
        let line =
            if let arrival = tracked.arrival {
                text("track_eta") + " " + clock(arrival.at, tracked)
            } else if let due = tracked.due {
                promise(tracked) + " " + clock(due, tracked)
            } else {
                tracked.state == .onTheWay ? text("track_time") : text("track_soon")
            }
        return " <span class=\"about\">\(line)</span>"
    }

    /// What was promised and is not so is no promise any more.
    private func promise(_ tracked: TrackedDelivery) -> String {
        tracked.isLate ? text("track_was_due") : text("track_due")
    }

    /// By when it was promised, where nothing above says so, and to whom it came.
    private func times(_ tracked: TrackedDelivery) -> String {
        var lines: [(label: String, value: String)] = []
        if let person = tracked.receivedBy {
            lines.append((text("track_to"), HTMLPage.escaped(person)))
        } else if let due = tracked.due, tracked.status.isOpen,
            tracked.state == .attemptFailed || (tracked.arrival != nil && tracked.isLate)
        {
            lines.append((promise(tracked), clock(due, tracked)))
        }
        if !tracked.street.isEmpty { lines.append((text("track_where"), HTMLPage.escaped(tracked.street))) }
        return "<dl>" + lines.map { "<div><dt>\($0.label)</dt><dd>\($0.value)</dd></div>" }.joined() + "</dl>"
    }

    private func clock(_ time: Timestamp, _ tracked: TrackedDelivery) -> String {
        "<time datetime=\"\(time.text)\">\(LocalTime(in: tracked.country).clock(Moment(time)))</time>"
    }

    /// The way of a delivery, and how far it is.
    private func steps(_ tracked: TrackedDelivery) -> String {
        let names = ["waiting", "accepted", "on_the_way", "delivered"]
        let reached =
            switch tracked.state {
            case .waiting: 0
            case .accepted: 1
            case .onTheWay, .attemptFailed: tracked.times.pickedUp == nil ? 1 : 2
            case .delivered: 3
            case .cancelled: -1
            }
        guard reached >= 0 else { return "" }
        let times = ["on_the_way": tracked.times.pickedUp, "delivered": tracked.times.delivered]
        let items = names.enumerated().map { place, name in
            let mark = place == reached ? " aria-current=\"step\"" : place < reached ? " class=\"done\"" : ""
            let time = times[name]?.map { " " + clock($0, tracked) } ?? ""
            return "<li\(mark)><span>\(text("track_step_\(name)"))</span>\(time)</li>"
        }
        return "<ol class=\"steps\">\(items.joined())</ol>"
    }

    /// Who is brought it has it ready.
    private func cash(_ tracked: TrackedDelivery) -> String {
        guard tracked.status.isOpen, let cash = tracked.cash, cash.amount > 0 else { return "" }
        return "<p class=\"cash\">\(text("track_cash", ["amount": amount(cash)]))</p>"
    }

    /// As it is written where the page's language is spoken.
    private func amount(_ money: Money) -> String {
        guard money.currency == "EUR" else { return money.text }
        let number = String(money.text.dropLast(4))
        return words.words.code == "en" ? "€" + number : number.replacing(".", with: ",") + " €"
    }

    private func pin(_ tracked: TrackedDelivery) -> String {
        guard let pin = tracked.pin else { return "" }
        let spoken = pin.map(String.init).joined(separator: " ")
        // Who brings it can scan it.
        let code = QRPicture.svg(pin).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return """
            <section class="pin"><h2>\(text("track_pin"))</h2><p class="digits"><span aria-hidden="true">\(pin)</span>\
            <span class="aloud">\(spoken)</span></p><div class="qr" aria-hidden="true">\(code)</div><p>\(text("track_pin_what"))</p></section>
            """
    }

    private func wish(_ tracked: TrackedDelivery, _ token: String, _ typed: String) -> String {
        let wished = tracked.wish.map { wish in
            """
            <p class="given"><span aria-hidden="true">✓</span> \(text("track_wished")) <q>\(HTMLPage.escaped(wish.text))</q> \(clock(wish.at, tracked))</p>
            """
        }
        return (tracked.status.isCarried ? wished ?? "" : "") + wishing(tracked, token, typed)
    }

    private func wishing(_ tracked: TrackedDelivery, _ token: String, _ typed: String) -> String {
        guard tracked.mayWish else { return "" }
        // What most wish is one touch.
        let isMissed = tracked.state == .attemptFailed && !tracked.isAnswered
        let usual = [isMissed ? "home" : "bell", "neighbour", "call"].map { wish in
            let said = text("track_wish_\(wish)")
            return """
                <form method="post" action="/t/\(HTMLPage.escaped(token))/wish"><input type="hidden" name="text" value="\(said)"><button>\(said)</button></form>
                """
        }.joined()
        return """
            <details\(typed.isEmpty && !isMissed ? "" : " open")><summary>\(tracked.wish == nil ? text("track_wish") : text("track_wish_more"))</summary><div class="quick">\(usual)</div>\
            <form method="post" action="/t/\(HTMLPage.escaped(token))/wish">
            <label for="wish">\(text("track_wish_what"))</label>
            <textarea id="wish" name="text" rows="2" maxlength="\(Bounds.wish)" required>\(Self.typed(typed))</textarea>
            <button>\(text("track_send"))</button></form></details>
            """
    }

    /// A text area leaves out a line end that it begins with.
    private static func typed(_ text: String) -> String { text.isEmpty ? "" : "\n" + HTMLPage.escaped(text) }

    private func rating(_ tracked: TrackedDelivery, _ token: String, _ typed: String) -> String {
        if let stars = tracked.stars {
            let given = text("track_rated", ["stars": String(stars)])
            return
                "<p class=\"given\"><span aria-hidden=\"true\">\(String(repeating: "★", count: stars))</span> \(given)</p>"
        }
        guard tracked.mayRate else { return "" }
        let stars = (1...5).map { number in
            """
            <label><input type="radio" name="stars" value="\(number)" required>\
            <span class="star" aria-hidden="true"></span><span class="aloud">\(number)</span></label>
            """
        }.joined()
        return """
            <form class="rate" method="post" action="/t/\(HTMLPage.escaped(token))/rating">
            <fieldset><legend>\(text("track_rate"))</legend><div class="stars">\(stars)</div></fieldset>
            <label for="rating">\(text("track_rate_what"))</label>
            <textarea id="rating" name="text" rows="2" maxlength="\(Bounds.rating)">\(Self.typed(typed))</textarea>
            <button>\(text("track_send"))</button></form>
            """
    }

    private func call(_ tracked: TrackedDelivery) -> String {
        guard !tracked.storePhone.isEmpty else { return "" }
        let phone = HTMLPage.escaped(tracked.storePhone)
        return """
            <a class="call" href="tel:\(phone)"><span>\(text("track_call"))</span><span>\(Self.grouped(phone))</span></a>
            """
    }

    /// A number as it is read out: the country's, two digits more or the one that some capitals have, and the rest in two.
    private static func grouped(_ phone: String) -> String {
        guard phone.hasPrefix("+"), phone.count > 4 else { return phone }
        let digits = phone.dropFirst()
        let length = CallingCodes.length(of: digits)
        let (code, rest) = (phone.prefix(1 + length), digits.dropFirst(length))
        let area = rest.hasPrefix("1") && ["+36", "+385", "+386", "+43"].contains(code) ? 1 : 2
        let first = rest.prefix(area)
        let middle = rest.dropFirst(area).prefix(area == 1 ? 4 : 3)
        return [code, first, middle, rest.dropFirst(area + middle.count)].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private var refusal: String { "<p class=\"notice\" role=\"alert\">\(text("track_refused"))</p>" }

    private func text(_ name: String, _ values: [String: String] = [:]) -> String {
        HTMLPage.escaped(words.say(name, values))
    }
}

extension MapView {
    /// What a page's script must know of it.
    fileprivate var attributes: String {
        guard let tiles else { return "" }
        let numbers: [String] = bounds?.map { "\($0)" } ?? []
        let area = numbers.isEmpty ? "" : " data-bounds=\"" + numbers.joined(separator: " ") + "\""
        return """
            data-tiles="\(HTMLPage.escaped(tiles))" data-attribution="\(HTMLPage.escaped(attribution ?? ""))" \
            data-zooms="\(zooms.lowerBound) \(zooms.upperBound)"\(area)
            """
    }
}
