import API
import HTTP
import Postgres
import TestSupport
import Testing

extension RetryTests {
    /// Tells somebody what is going to be untrue, and gives what makes it so.
    func scene(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        switch untruth.kind {
        case "delivery_offered": try await offer(untruth, api)
        case "invite": try await invite(untruth, api)
        case "confirmation_code": try await code(untruth, api)
        case "password_reset": try await reset(untruth, api)
        case "message_received": try await message(untruth, api)
        case "bulletin_published": try await bulletin(untruth, api)
        case "recipient_tracking": try await step(untruth, api)
        case "delivery_stranded", "delivery_unaccepted", "offers_waiting": try await waiting(untruth, api)
        case "partnership_ended", "partner_joined": try await partnership(untruth, api)
        case "cancellation_contested": try await contested(api)
        default: try await carried(untruth, api)
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
        // It has the conversation open, and is not told of what is said next.
        if untruth == .messageFollowedUntold { _ = try await api.read(id, upTo: 0, as: reader) }
        return { _ in
            switch untruth {
            case .messageRead: try await api.read(id, upTo: 1, as: reader)
            case .messageFollowed, .messageFollowedUntold: try await api.say("Tu sam", in: id, as: author)
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

    private func partnership(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let (store, courier) = (try await api.store(), try await api.courier())
        @Sendable func join() async throws -> Answer {
            let invite = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
            return try await api.post("/v1/partners", ["code": invite["code"]], as: courier.token)
        }
        @Sendable func end() async throws -> Answer {
            try await api.call("DELETE", "/v1/partners/\(courier.id)", as: store.token)
        }
        if untruth == .joinedEnded {
            try await device(store, api)
            _ = try await join()
            return { _ in try await end() }
        }
        _ = try await join()
        try await device(courier, api)
        _ = try await end()
        return { _ in try await join() }
    }

    private func contested(_ api: ServedProduct) async throws -> Change {
        let (store, couriers) = try await api.team(1)
        let id = try await api.delivery(of: store, to: couriers)
        for action in ["accept", "cancel"] { try await api.act(action, id, as: couriers[0]) }
        try await device(store, api)
        let given = try await api.get("/v1/couriers/\(couriers[0].id)/cancellations", as: store.token).items
        let path = "/v1/cancellations/\(try #require(given.first?["id"].string))"
        _ = try await api.post("\(path)/contest", ["note": "Led na cesti"], as: couriers[0].token)
        return { _ in try await api.post("\(path)/excuse", as: store.token) }
    }

    /// What is told of a delivery that waits.
    private func waiting(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let (store, couriers) = try await api.team(2)
        if untruth != .offersGone { try await device(store, api) }
        let id = try await api.delivery(of: store, to: [couriers[0]])
        switch untruth.kind {
        case "delivery_stranded": try await api.act("decline", id, as: couriers[0])
        case "delivery_unaccepted":
            try await api.execute("UPDATE deliveries SET alert_at = now() WHERE id = '\(id)'")
        default: break
        }
        return { _ in
            switch untruth {
            case .strandedOffered:
                let asked: JSON = ["courier_ids": .array([.string(couriers[1].id)])]
                return try await api.call("PATCH", SampleDelivery.path(id), asked, as: store.token)
            case .unacceptedCancelled, .offersGone: return try await api.act("cancel", id, as: store, [:])
            default: return try await api.act("accept", id, as: couriers[0])
            }
        }
    }

    /// What is told of a delivery that somebody carries.
    private func carried(_ untruth: Untruth, _ api: ServedProduct) async throws -> Change {
        let (store, couriers) = try await api.team(2)
        let id = try await api.delivery(of: store, to: couriers)
        try await api.act("accept", id, as: couriers[0])
        @Sendable func act(_ action: String, by person: Person, _ form: JSON = [:]) async throws -> Answer {
            try await api.act(action, id, as: person, form)
        }
        @Sendable func edit(_ form: JSON) async throws -> Answer {
            try await api.call("PATCH", SampleDelivery.path(id), form, as: store.token)
        }
        switch untruth.kind {
        case "delivery_late":
            let due = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000).text
            _ = try await edit(["window": ["until": .string(due)]])
            try await device(untruth == .lateOfAnother ? couriers[0] : store, api)
            try await api.execute(
                "UPDATE deliveries SET due_at = now() - interval '1 minute', late_at = now() WHERE id = '\(id)'")
        case "attempt_failed":
            try await device(store, api)
            _ = try await act("fail", by: couriers[0], ["reason": "nobody_home"])
        case "delivery_delivered":
            try await device(store, api)
            _ = try await act("deliver", by: couriers[0])
        case "delivery_changed":
            try await device(couriers[0], api)
            _ = try await edit(["instructions": "Zvoni dvaput"])
        case "delivery_reassigned":
            try await device(couriers[0], api)
            _ = try await act("reassign", by: store, ["courier_ids": .array([.string(couriers[1].id)])])
        default:
            _ = try await act("deliver", by: couriers[0])
            try await device(couriers[0], api)
            _ = try await act("reopen", by: store, ["note": "Nije stiglo"])
        }
        return { _ in
            switch untruth {
            case .lateArrived, .failedArrived, .changedArrived, .reopenedArrived:
                return try await act("deliver", by: couriers[0])
            case .lateElsewhen: return try await edit(["window": .null])
            case .arrivedReopened: return try await act("reopen", by: store, ["note": "Nije stiglo"])
            case .reopenedCancelled: return try await act("cancel", by: store)
            case .failedReturned: return try await act("cancel", by: couriers[0])
            case .reassignedTakenAgain:
                _ = try await edit(["courier_ids": .array(couriers.map { .string($0.id) })])
                return try await act("accept", by: couriers[0])
            default: return try await act("reassign", by: store)
            }
        }
    }
}
