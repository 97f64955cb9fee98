import Domain
import HTTP
import TestSupport
import Testing

/// What the table in `Domain` says of each state of a conversation is what both sides meet when it has come to that.
@Suite(.database) struct TalkStatesTests {
    /// What one of the two has done.
    enum Situation: String, CaseIterable {
        case nothing, ended
        case begunAnew = "begun anew"
        case blocked, hidden, muted, reading, erased

        /// What that is for who has done it, and for the other.
        func states(isOwn: Bool) -> Set<ConversationState> {
            switch self {
            case .nothing, .begunAnew: [.partners]
            case .ended: [.ended]
            case .blocked: [.partners, .blocked]
            case .hidden: isOwn ? [.partners, .hidden] : [.partners]
            case .muted: isOwn ? [.partners, .muted] : [.partners]
            case .reading: isOwn ? [.partners, .reading] : [.partners]
            case .erased: isOwn ? [.ended, .erased] : [.ended, .otherErased]
            }
        }
    }

    private struct Scene {
        let api: ServedProduct
        let store, courier: Person
        let id: String
        let doer: AccountKind
        let situation: Situation

        func person(_ side: AccountKind) -> Person { side == .store ? store : courier }

        func rights(_ side: AccountKind) -> ConversationRights {
            ConversationState.rights(of: side, in: situation.states(isOwn: side == doer))
        }

        func happen() async throws {
            let path = "/v1/conversations/\(id)"
            switch situation {
            case .nothing: break
            case .ended: try await api.endPartnership(store, courier)
            case .begunAnew:
                try await api.endPartnership(store, courier)
                try await api.join(store, courier)
            case .blocked: #expect(try await api.change(id, ["blocked": true], as: courier).status == 200)
            case .hidden: #expect(try await api.call("DELETE", path, as: person(doer).token).status == 204)
            case .muted: #expect(try await api.change(id, ["muted": true], as: person(doer)).status == 200)
            case .reading:
                #expect(try await api.read(id, upTo: 0, as: person(doer)).status == 200)
                // However long this test takes, it has been a moment.
                try await api.execute("UPDATE conversations SET \(doer)_read_at = now() + interval '1 hour'")
            case .erased: try await api.erase(person(doer), doer)
            }
        }

        func expectSight(of side: AccountKind) async throws {
            let (rights, token) = (rights(side), person(side).token)
            let said = try await api.get("/v1/conversations/\(id)/messages", as: token)
            #expect(said.status == (rights.reads ? 200 : 401), "\(self)")
            let one = try await api.get("/v1/conversations/\(id)", as: token)
            #expect(one.status == said.status && one.json["can_write"].bool ?? false == rights.writes, "\(self)")
            let listed = try await api.get("/v1/conversations", as: token).items.compactMap { $0["id"].string }
            #expect(listed == (rights.isListed ? [id] : []), "\(self)")
        }

        func expectVoice(of side: AccountKind) async throws {
            let (rights, other): (ConversationRights, AccountKind) = (rights(side), side == .store ? .courier : .store)
            let answer = try await api.say("Bok", in: id, as: person(side))
            if let refusal = rights.refusal {
                #expect(answer.status == (rights.reads ? 403 : 401), "\(self)")
                if rights.reads { #expect(answer.code == refusal.rawValue, "\(self)") }
            } else {
                #expect(answer.status == 201, "\(self)")
            }
            let waiting = try await api.execute(
                "SELECT FROM message_queue WHERE kind = 'message_received' AND account_id = '\(person(other).id)'")
            #expect(waiting.count == (rights.writes && self.rights(other).isTold ? 1 : 0), "\(self)")
        }
    }

    @Test(arguments: AccountKind.allCases)
    func `both sides write, read, are listed and are told as the table says`(doer: AccountKind) async throws {
        try await ServedProduct.serving { api in
            for situation in Situation.allCases where situation != .blocked || doer == .courier {
                let (store, courier, id) = try await api.talk()
                for person in [store, courier] {
                    _ = try await api.call(
                        "PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
                }
                let scene = Scene(
                    api: api, store: store, courier: courier, id: id, doer: doer, situation: situation)
                try await scene.happen()
                for side in AccountKind.allCases { try await scene.expectSight(of: side) }
                for side in AccountKind.allCases { try await scene.expectVoice(of: side) }
            }
        }
    }
}
