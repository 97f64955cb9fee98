import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// An answer that was kept is not a way around what somebody may see now.
@Suite(.database) struct ReplayTests {
    private let key = ["Idempotency-Key": "one"]

    /// The first answer has the recipient's name and number, which somebody who gave the delivery back must not have.
    @Test func `whoever does not see a delivery any more is not told of it again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            let first = try await api.act("accept", id, as: couriers[0], headers: key)
            #expect(first.status == 200 && first.json["recipient"]["last_name"].string != nil)
            try await api.act("cancel", id, as: couriers[0])
            for _ in 0..<2 {
                let again = try await api.act("accept", id, as: couriers[0], headers: key)
                #expect(again.status == 404 && again.code == "not_found")
            }
            // Nothing was done again either.
            #expect(try await api.get("/v1/deliveries/\(id)", as: store.token).json["status"] == "pending")
        }
    }

    /// It is seen, but without its recipient: by a former holder, and by whoever is asked anew.
    @Test func `whoever may read less of a recipient than before is not told of it again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let ana = couriers[0]
            for action in ["accept", "pick_up"] {
                for (taking, body) in [("cancel", [:]), ("reassign", ["courier_ids": [.string(ana.id)]])]
                    as [(String, JSON)]
                {
                    let (id, key) = (
                        try await api.delivery(of: store, to: couriers), ["Idempotency-Key": "\(action) \(taking)"]
                    )
                    if action == "pick_up" { try await api.act("accept", id, as: ana) }
                    let first = try await api.act(action, id, as: ana, headers: key)
                    #expect(first.json["recipient"]["phone"].string != nil)
                    let repeated = try await api.act(action, id, as: ana, headers: key)
                    #expect(repeated.status == 200 && repeated.json == first.json)
                    #expect(try await api.act(taking, id, as: store, body).status == 200)
                    let again = try await api.act(action, id, as: ana, headers: key)
                    #expect(again.status == 404 && again.code == "not_found", "\(action) after \(taking)")
                    #expect(try await api.get(SampleDelivery.path(id), as: ana.token).status == 200)
                }
            }
        }
    }

    @Test func `an answer that tells nothing of a delivery is given again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let first = try await api.act("decline", id, as: couriers[0], headers: key)
            let again = try await api.act("decline", id, as: couriers[0], headers: key)
            #expect(again.status == 200 && again.json == first.json)
        }
    }

    @Test func `whoever is no partner any more is not told of the store again`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let invite = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token)
            let code: JSON = ["code": invite.json["code"]]
            #expect(try await api.post("/v1/partners", code, as: courier.token, headers: key).status == 201)
            #expect(try await api.post("/v1/partners", code, as: courier.token, headers: key).status == 201)
            let ending = try await api.call("DELETE", "/v1/partners/\(courier.id)", as: store.token)
            #expect(ending.status == 204)
            let again = try await api.post("/v1/partners", code, as: courier.token, headers: key)
            #expect(again.status == 404 && again.code == "not_found")
            #expect(try await api.get("/v1/partners", as: courier.token).items.isEmpty)
        }
    }

    /// Its name stands in answers to others, which they have the keys of.
    @Test func `nobody is told again of somebody who is erased since`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (courier, other) = (couriers[0], couriers[1])
            let id = try await api.delivery(of: store, to: [courier])
            try await api.act("accept", id, as: courier)
            try await api.act("cancel", id, as: courier, ["reason": "unsafe", "note": "Xwdark"])
            let cancellation = "/v1/cancellations/\(try await api.execute("SELECT id FROM cancellations")[0][0] ?? "")"
            let taken = try await api.delivery(of: store, to: [courier, other])
            try await api.act("accept", taken, as: courier)
            func answers() async throws -> [Answer] {
                [
                    try await api.act("cancel", taken, as: store, headers: key),
                    try await api.post("\(cancellation)/excuse", as: store.token, headers: ["Idempotency-Key": "two"]),
                ]
            }
            let first = try await answers()
            #expect(first.map(\.status) == [200, 200])
            #expect(first[0].json["courier"]["first_name"].string != nil && first[1].json["note"] == "Xwdark")
            #expect(try await answers().map(\.json) == first.map(\.json))
            try await erase(other, .courier, api)
            #expect(try await answers().map(\.json) == first.map(\.json))
            try await erase(courier, .courier, api)
            for again in try await answers() { #expect(again.status == 404 && again.code == "not_found") }
        }
    }

    @Test func `a courier is not told again of a store that is erased since`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.act("cancel", id, as: couriers[0])
            let cancellation = try await api.execute("SELECT id FROM cancellations")[0][0] ?? ""
            func contest() async throws -> Answer {
                try await api.post(
                    "/v1/cancellations/\(cancellation)/contest", ["note": "Kiša"], as: couriers[0].token, headers: key)
            }
            #expect(try await contest().json["store"]["name"] == "Pekara")
            #expect(try await contest().status == 200)
            try await erase(store, .store, api)
            #expect(try await contest().status == 404)
        }
    }

    private func erase(_ person: Person, _ kind: AccountKind, _ api: ServedProduct) async throws {
        let id = try #require(ID(person.id))
        let event = JSONB(utf8: Array(#"{"kind":"account.erased"}"#.utf8))
        _ = try await Departure.leave(id, kind, in: 0, noting: event, api.database)
        while try await Departure.erase(id, in: api.database) {}
    }
}
