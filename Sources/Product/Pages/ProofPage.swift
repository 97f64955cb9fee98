import API
import Deliveries
import Domain
import HTTP
import Languages

/// The proof of a delivery as a page to print, for its store and its courier.
struct ProofPageRoom: Room {
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/proof/{id}", for: .signedIn, "The proof of a delivery, as a page to print", room: "Pages",
                answers: [.text(HTMLPage.type, "The page.")]
            ) { call in
                let check = try await ProofRoom.find(call).check
                let words = call.caller.language.words
                return ProofPage(words: words, check: check).page.response()
            }
        ]
    }
}

/// What a proof says, for people.
struct ProofPage {
    let words: LanguageWords
    let check: ProofCheck

    var page: HTMLPage {
        let title = text("proof_title")
        var page = HTMLPage(
            title: title, language: words.code,
            body: """
                <main><p class="brand">\(Mark.svg) Kurir</p>
                <h1>\(HTMLPage.escaped(title))</h1>
                \(steps)
                \(facts)
                \(pictures)
                <p class="hint">\(HTMLPage.escaped(LanguageWords.fill(text("proof_signed"), ["key": check.keyID])))
                \(HTMLPage.escaped(check.delivery))</p></main>
                """)
        page.style = """
            main{max-width:720px;margin:0 auto;padding:16px}dt{color:var(--soft)}dd{margin:0 0 8px}
            ol{margin:0 0 24px;padding:0;list-style:none}li{padding:8px 0;border-bottom:1px solid var(--line)}
            time{display:inline-block;min-width:11em;font-variant-numeric:tabular-nums;color:var(--soft)}
            img{max-width:100%;max-height:480px;margin:8px 8px 0 0;border:1px solid var(--line)}
            @media print{body{padding:0;background:none}}
            """
        return page
    }

    private var steps: String {
        let steps = check.steps.map { step in
            let isCouriers = step.actorKind == "courier"
            let did = isCouriers && step.action == "cancel" ? "return" : step.action
            let said = [
                text("did_\(did)"), text(isCouriers ? "proof_name" : "proof_store_name"),
                step.isPinRight.map { $0 ? "PIN ✓" : "PIN ✗" },
                step.collected.map { LanguageWords.fill(text("collected"), ["amount": $0.text]) },
            ]
            let time = String(step.at.prefix(19)).replacing("T", with: " ")
            return """
                <li><time>\(HTMLPage.escaped(time))</time>
                \(HTMLPage.escaped(said.compactMap(\.self).joined(separator: " · ")))</li>
                """
        }
        return "<ol>\(steps.joined())</ol>"
    }

    private var facts: String {
        let facts = check.disclosed.map { name, lines in
            let said =
                name == "reason"
                ? lines.map { words.pages["failure_\($0)"] ?? words.pages["reason_\($0)"] ?? $0 } : lines
            let told = said.map(HTMLPage.escaped).joined(separator: "<br>")
            return "<dt>\(HTMLPage.escaped(labels[name] ?? name))</dt><dd>\(told)</dd>"
        }
        return "<dl>\(facts.joined())</dl>"
    }

    private var labels: [String: String] {
        [
            "store_name": text("proof_store_name"), "name": text("proof_name"), "recipient": text("proof_recipient"),
            "description": text("proof_description"),
            "reference": text("proof_reference"), "reason": text("proof_reason"), "note": text("proof_note"),
            "place": text("proof_place"), "received_by": text("proof_received_by"),
        ]
    }

    private var pictures: String {
        check.pictures.map { #"<img src="/v1/files/\#(HTMLPage.escaped($0.id))" alt="">"# }.joined()
    }

    private func text(_ name: String) -> String { words.pages[name] ?? "" }
}
