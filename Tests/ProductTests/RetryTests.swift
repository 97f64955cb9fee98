import Foundation
import HTTP
import TestSupport
import Testing

/// What was given up gets another go as long as what it says is true, and none from then on.
@Suite(.database) struct RetryTests {
    /// What makes a message untrue that was given up.
    enum Untruth: String, CaseIterable, Sendable {
        case offerTaken, storeGone, inviteRevoked, inviteRedeemed
        case codeReplaced, codeUsed, codeWithoutTries, resetUsed, resetElsewhere
        case messageRead, messageFollowed, conversationMuted, conversationHidden, storeBlocked, messageTakenBack
        case bulletinRemoved, bulletinOfAFormerStore
        case stepFollowed, linkEnded, linkReplaced, recipientElsewhere

        var kind: String {
            switch self {
            case .offerTaken, .storeGone: "delivery_offered"
            case .inviteRevoked, .inviteRedeemed: "invite"
            case .codeReplaced, .codeUsed, .codeWithoutTries: "confirmation_code"
            case .resetUsed, .resetElsewhere: "password_reset"
            case .messageRead, .messageFollowed, .conversationMuted, .conversationHidden, .storeBlocked,
                .messageTakenBack:
                "message_received"
            case .bulletinRemoved, .bulletinOfAFormerStore: "bulletin_published"
            case .stepFollowed, .linkEnded, .linkReplaced, .recipientElsewhere: "recipient_tracking"
            }
        }

        var channel: String {
            ["delivery_offered", "message_received", "bulletin_published"].contains(kind) ? "push" : "sms"
        }
    }

    /// Makes a message untrue, of which there is what a gateway was given.
    private typealias Change = (_ message: JSON) async throws -> Answer

    @Test(arguments: Untruth.allCases) func `what was given up gets another go as long as it is true`(
        _ untruth: Untruth
    ) async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example", verifies: true) { api in
            let key = try await api.key()
            let change = try await scene(untruth, api)
            let message = try await giveUp(untruth, key, api)
            let retry = "/v1/outbox/dead/\(message["id"].string ?? "")/retry"
            #expect(try await api.post(retry, as: key).status == 204)
            #expect(try await giveUp(untruth, key, api)["id"] == message["id"])
            let changed = try await change(message)
            #expect((200...204).contains(changed.status), "\(changed.json)")
            let refused = try await api.post(retry, as: key)
            #expect(refused.status == 410 && refused.code == "gone")
            let queued = "SELECT FROM message_queue WHERE id = '\(message["id"].string ?? "")'"
            #expect(try await api.execute(queued).isEmpty)
        }
    }

    /// Whoever withdraws another kind says in the same function when it is true, and tries it here.
    @Test func `whatever is withdrawn somewhere is tried here`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let files = ["Sources", "sql/functions"].flatMap { folder in
            FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL }.filter { ["swift", "sql"].contains($0.pathExtension) } ?? []
        }
        let withdrawn = try files.map { try String(contentsOf: $0, encoding: .utf8) }.flatMap { text in
            text.matches(of: #/\bwithdraw\('(\w+)'/#).map { String($0.1) }
        }
        #expect(Set(withdrawn) == Set(Untruth.allCases.map(\.kind)))
    }

    /// Has a gateway take the one message of that kind, and give it up.
    private func giveUp(_ untruth: Untruth, _ key: String, _ api: ServedProduct) async throws -> JSON {
        let claimed = try await api.claim(key, channel: untruth.channel, wait: 10)
        let held = claimed.filter { $0["kind"].string == untruth.kind }
        try #require(held.count == 1, "\(claimed)")
        #expect(try await api.tell(key, "nack", held, ["reason": "no", "permanent": true]) == ["dead"])
        return held[0]
    }

    private func scene(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        switch untruth.kind {
        case "delivery_offered": try await offer(untruth, api)
        case "invite": try await invite(untruth, api)
        case "confirmation_code": try await code(untruth, api)
        case "password_reset": try await reset(untruth, api)
        case "message_received": try await message(untruth, api)
        case "bulletin_published": try await bulletin(untruth, api)
        default: try await step(untruth, api)
        }
    }

    private func device(_ person: Person, _ api: ServedProduct) async throws {
        _ = try await api.call("PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
    }

    private func offer(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let (store, couriers) = try await api.team(2)
        try await device(couriers[0], api)
        let id = try await api.delivery(of: store, to: couriers)
        return { _ in
            if untruth == .offerTaken { return try await api.act("accept", id, as: couriers[1]) }
            // Its courier is still a candidate: it would be offered again if the store came back.
            try await api.execute("SELECT step_back('\(store.id)')")
            return try await api.get("/v1/me", as: couriers[0].token)
        }
    }

    private func invite(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let (store, courier) = (try await api.store(), try await api.courier())
        let invite = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
        return { _ in
            untruth == .inviteRevoked
                ? try await api.call("DELETE", "/v1/invites/\(invite["id"].string ?? "")", as: store.token)
                : try await api.post("/v1/partners", ["code": invite["code"]], as: courier.token)
        }
    }

    private func code(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let courier = try await api.registerCourier()
        return { message in
            let code = message["data"]["code"].string ?? ""
            switch untruth {
            case .codeReplaced: return try await api.post("/v1/me/phone/code", as: courier.token)
            case .codeUsed: return try await api.confirm(code, as: courier)
            default:
                for _ in 0..<5 { _ = try await api.confirm(otherCode(than: code), as: courier) }
                return try await api.get("/v1/me", as: courier.token)
            }
        }
    }

    private func reset(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let courier = try await api.courier()
        _ = try await api.post("/v1/password_resets", ["phone": .string(courier.login)])
        return { message in
            if untruth == .resetElsewhere {
                try await api.execute("SELECT prove_place('\(courier.id)', '\(SamplePeople.phone())')")
                return try await api.get("/v1/me", as: courier.token)
            }
            let form: JSON = [
                "phone": .string(courier.login), "code": message["data"]["code"],
                "new_password": "palačinke-s-orasima",
            ]
            return try await api.call("PUT", "/v1/password_resets", form)
        }
    }

    private func message(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let (store, courier, id) = try await api.talk()
        let (author, reader) = untruth == .storeBlocked ? (store, courier) : (courier, store)
        try await device(reader, api)
        let said = try await api.say("Bok", in: id, as: author)
        return { _ in
            switch untruth {
            case .messageRead: try await api.read(id, upTo: 1, as: reader)
            case .messageFollowed: try await api.say("Tu sam", in: id, as: author)
            case .conversationMuted: try await api.change(id, ["muted": true], as: reader)
            case .conversationHidden: try await api.call("DELETE", "/v1/conversations/\(id)", as: reader.token)
            case .storeBlocked: try await api.change(id, ["blocked": true], as: reader)
            default: try await api.takeBack(said.json, in: id, as: author)
            }
        }
    }

    private func bulletin(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let (store, couriers) = try await api.team(1)
        try await device(couriers[0], api)
        let form: JSON = ["title": "Zatvoreno", "text": "Vidimo se u ponedjeljak.", "urgent": true]
        let made = try await api.post("/v1/bulletin", form, as: store.token)
        return { _ in
            untruth == .bulletinRemoved
                ? try await api.call("DELETE", "/v1/bulletin/\(made.json["id"].string ?? "")", as: store.token)
                : try await api.call("DELETE", "/v1/partners/\(couriers[0].id)", as: store.token)
        }
    }

    private func step(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let (store, couriers) = try await api.team(1)
        _ = try await api.call("PATCH", "/v1/me", ["tell_recipients": true], as: store.token)
        let id = try await api.delivery(of: store, to: couriers)
        for action in ["accept", "pick_up"] { try await api.act(action, id, as: couriers[0]) }
        // After this it is still on its way.
        _ = try await api.call("PATCH", SampleDelivery.path(id), ["instructions": "Zvoni dvaput"], as: store.token)
        let link = SampleDelivery.path(id, "tracking")
        return { _ in
            switch untruth {
            case .stepFollowed: return try await api.act("deliver", id, as: couriers[0])
            case .linkEnded: return try await api.call("DELETE", link, as: store.token)
            case .linkReplaced:
                _ = try await api.call("DELETE", link, as: store.token)
                return try await api.post(link, as: store.token)
            default:
                let recipient: JSON = [
                    "first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Split",
                    "phone": "091 999 8800",
                ]
                return try await api.call(
                    "PATCH", SampleDelivery.path(id), ["recipient": recipient], as: store.token)
            }
        }
    }

    /// It has a way for itself, and keeps it.
    @Test func `a gathered mail that is raised holds up no other mail to its address`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let key = try await api.key()
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("decline", id, as: couriers[0])
            let stranded = try await api.claim(key, channel: "email")
            #expect(stranded.map { $0["kind"] } == ["delivery_stranded"])
            #expect(try await api.tell(key, "nack", stranded, ["reason": "no", "permanent": true]) == ["dead"])
            let retry = "/v1/outbox/dead/\(stranded[0]["id"].string ?? "")/retry"
            #expect(try await api.post(retry, as: key).status == 204)
            // While a gateway has it, a code to the same address goes its own way.
            #expect(try await api.claim(key, channel: "email").map { $0["id"] } == [stranded[0]["id"]])
            _ = try await api.post("/v1/password_resets", ["email": .string(store.login)])
            #expect(try await api.claim(key, channel: "email", wait: 10).map { $0["kind"] } == ["password_reset"])
        }
    }
}
