import API
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// Who is off duty is left in peace, and everybody sees it.
@Suite(.database) struct DutyTests {
    private func onDuty(_ api: ServedProduct, _ courier: Person, _ form: JSON) async throws -> Answer {
        try await api.call("PUT", "/v1/me/duty", form, as: courier.token)
    }

    @Test func `who is off duty gets no offer by push, but finds it in the list`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for (number, courier) in couriers.enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/d\(number)", ["platform": "fcm"], as: courier.token)
            }
            let off = try await onDuty(api, couriers[0], ["on": false])
            #expect(off.status == 200 && off.json["on_duty"] == .bool(false) && off.json["duty_until"] == .null)
            let id = try await api.delivery(of: store, to: couriers)
            #expect(try await api.claim(api.key(), channel: "push").map { $0["address"] } == ["d1"])
            #expect(try await api.get("/v1/deliveries", as: couriers[0].token).items.map { $0["id"].string } == [id])
        }
    }

    /// Whether it waits, or was tried in vain and is given up: it goes to nobody who is off duty by then.
    @Test func `who goes off duty gets no offer that was under way`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for (number, courier) in couriers.enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/d\(number)", ["platform": "fcm"], as: courier.token)
            }
            let id = try await api.delivery(of: store, to: couriers)
            let dead =
                try await api.execute(
                    "SELECT id FROM messages WHERE kind = 'delivery_offered' AND account_id = '\(couriers[0].id)'")[0][
                    0] ?? ""
            try await api.execute("SELECT bury_messages('push', '{\(dead)}', 'given up')")
            _ = try await api.delivery(of: store, to: couriers)
            #expect(try await onDuty(api, couriers[0], ["on": false]).status == 200)
            #expect(try await api.execute("SELECT retry_message('\(dead)', '{push}')") == [["f"]])
            #expect(
                try await api.execute("SELECT DISTINCT address FROM message_queue q JOIN messages m USING (id)") == [
                    ["d1"]
                ])
            // What it is offered it still finds.
            #expect(try await api.get("/v1/deliveries", as: couriers[0].token).items.count == 2)
            _ = try await onDuty(api, couriers[0], ["on": true])
            #expect(try await api.act("accept", id, as: couriers[0]).status == 200)
        }
    }

    @Test func `at its end duty is the other way round`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let until = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000).text
            #expect(
                try await onDuty(api, couriers[0], ["on": false, "until": .string(until)]).json["duty_until"].string
                    == until)
            func seen() async throws -> JSON {
                try await api.get("/v1/couriers?partner=true", as: store.token).items[0]["on_duty"]
            }
            #expect(try await seen() == .bool(false))
            try await api.execute("UPDATE couriers SET duty_until = now() - interval '1 second'")
            #expect(try await seen() == .bool(true))
            let me = try await api.get("/v1/me", as: couriers[0].token).json
            #expect(me["on_duty"] == .bool(true) && me["duty_until"] == .null)
        }
    }

    @Test func `only partners see it`() async throws {
        try await ServedProduct.serving { api in
            let (store, _) = try await api.team(1)
            _ = try await api.courier()
            let listed = try await api.get("/v1/couriers?partner=false", as: store.token).items
            #expect(listed.count == 1 && listed[0]["on_duty"] == nil)
        }
    }

    @Test func `a store hears that nobody is on duty`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for courier in couriers { _ = try await onDuty(api, courier, ["on": false]) }
            let made = try await api.post("/v1/deliveries", SampleDelivery.form(to: couriers), as: store.token)
            #expect(made.status == 201 && made.json["nobody_on_duty"] == .bool(true))
            let path = SampleDelivery.path(made.json["id"].string ?? "")
            #expect(try await api.get(path, as: store.token).json["nobody_on_duty"] == .bool(true))
            #expect(try await api.get(path, as: couriers[0].token).json["nobody_on_duty"] == nil)
            _ = try await onDuty(api, couriers[1], ["on": true])
            #expect(try await api.get(path, as: store.token).json["nobody_on_duty"] == nil)
            let next = try await api.post("/v1/deliveries", SampleDelivery.form(to: couriers), as: store.token)
            #expect(next.json["nobody_on_duty"] == nil)
            // The same is told by whatever offers it to others.
            for (courier, isNobody) in [(couriers[0], JSON.bool(true)), (couriers[1], nil)] {
                let others: JSON = ["courier_ids": [.string(courier.id)]]
                #expect(try await api.call("PATCH", path, others, as: store.token).json["nobody_on_duty"] == isNobody)
            }
            let id = made.json["id"].string ?? ""
            try await api.act("accept", id, as: couriers[1])
            let back = try await api.act("reassign", id, as: store, ["courier_ids": [.string(couriers[0].id)]])
            #expect(back.status == 200 && back.json["nobody_on_duty"] == .bool(true))
        }
    }

    @Test(
        arguments: [
            (["until": "2020-01-01T00:00:00Z", "on": true], ["until": "time_is_past"]),
            (["until": "soon", "on": true], ["until": "invalid_time"]),
            (["until": "2999-01-01T00:00:00Z", "on": false], ["until": "too_far_ahead"]),
            (["on": "yes"], ["on": "wrong_type"]), ([:], ["on": "required"]),
        ] as [(JSON, [String: String])])
    func `what is no duty is refused`(_ form: JSON, _ wrong: [String: String]) async throws {
        try await ServedProduct.serving { api in
            let answer = try await onDuty(api, try await api.courier(), form)
            #expect(answer.status == 422 && answer.wrong == wrong)
        }
    }
}
