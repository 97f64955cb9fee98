import API
import Domain
import HTTP
import Languages
import People

/// The page behind the link that undoes a change of what somebody signs in with. It is plain markup: looking at it changes
/// nothing, and its button works without a script.
struct UndoRoom: Room {
    let undoing: Undoing
    let throttle: Throttle

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/undo/{token}", for: .anyone, "The page that asks whether to undo a change of the sign-in",
                room: "Pages",
                answers: [
                    .text(HTMLPage.type, "The page, with its button."),
                    .text(HTMLPage.type, "The link is over.", .gone),
                ]
            ) { call in
                try await throttle.take([limit(call)])
                let page = UndoPage(call.request)
                return try await undoing.isGood(call.request.parameter("token"))
                    ? page.question.response() : page.over.response(.gone)
            },
            Endpoint(
                .post, "/undo/{token}", for: .anyone, "Undoes a change of the sign-in, and ends all sessions",
                room: "Pages",
                answers: [
                    .text(HTMLPage.type, "It is undone."),
                    .text(HTMLPage.type, "Somebody else signs in with it now.", .conflict),
                    .text(HTMLPage.type, "The link is over.", .gone),
                ]
            ) { call in
                try await throttle.take([limit(call)])
                let page = UndoPage(call.request)
                switch try await undoing.undo(call.request.parameter("token"), call) {
                case .undone(let kind): return page.done(kind).response()
                case .taken: return page.taken.response(.conflict)
                case .over: return page.over.response(.gone)
                }
            },
        ]
    }

    private func limit(_ call: Call) -> Throttle.Bucket {
        Throttle.Bucket("undoing from", call.request.client.network.description, burst: 60, step: .seconds(5))
    }
}

/// What that page says.
private struct UndoPage {
    let words: LanguageWords

    init(_ request: Request) {
        words = request.acceptedLanguage.words
    }

    var question: HTMLPage {
        let button = "<form method=\"post\"><button>\(HTMLPage.escaped(text("undo_button")))</button></form>"
        return page(text("undo_title"), [text("undo_text"), text("undo_effect")], button)
    }

    func done(_ kind: AccountKind) -> HTMLPage {
        let place = kind == .store ? "/store" : "/courier"
        let link = "<p><a href=\"\(place)#reset\">\(HTMLPage.escaped(text("undone_password")))</a></p>"
        return page(text("undone_title"), [text("undone_text")], link)
    }

    var taken: HTMLPage { page(text("undo_taken_title"), [text("undo_taken")]) }
    var over: HTMLPage { page(text("undo_over_title"), [text("undo_over")]) }

    private func page(_ title: String, _ lines: [String], _ end: String = "") -> HTMLPage {
        let lines = lines.map { "<p>\(HTMLPage.escaped($0))</p>" }.joined(separator: "\n")
        return HTMLPage.card(title, words.code, "\(lines)\n\(end)", hasForm: end.hasPrefix("<form"))
    }

    private func text(_ name: String) -> String { words.pages[name] ?? "" }
}
