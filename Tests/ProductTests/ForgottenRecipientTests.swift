import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// Recipients are known for so many days after the end of their deliveries, and no longer.
@Suite(.database) struct ForgottenRecipientTests {
    /// Two deliveries that have ended: one by being delivered a little too long ago, one by being cancelled a little later.
    private func ended(_ api: ServedProduct) async throws -> (
        store: Person, courier: Person, past: String, kept: String
    ) {
        let (store, couriers) = try await api.team(1)
        let past = try await api.delivery(of: store, to: couriers)
        try await api.act("accept", past, as: couriers[0])
        try await api.act(
            "deliver", past, as: couriers[0],
            [
                "note": "kod susjede Mare", "received_by": "Mara",
                "at_location": ["lat": .number(43.508), "lon": .number(16.44)],
            ])
        let kept = try await api.delivery(of: store, to: couriers)
        try await api.act("cancel", kept, as: store)
        try await api.execute(
            """
            UPDATE deliveries SET delivered_at = delivered_at - interval '90 days 1 minute',
                cancelled_at = cancelled_at - interval '89 days 23 hours'
            """)
        try await api.execute(
            """
            UPDATE jobs j SET place = place_in_list(d.status, d.due_at, d.delivered_at, d.cancelled_at), until = d.cancelled_at + interval '1 day'
            FROM deliveries d WHERE d.id = j.delivery_id
            """)
        return (store, couriers[0], past, kept)
    }

    private func expectForgotten(_ id: String, by reader: Person, _ api: ServedProduct) async throws {
        let one = try await api.get(SampleDelivery.path(id), as: reader.token)
        #expect(one.status == 200 && one.json["recipient"] == .null && one.json.names.contains("recipient"))
        #expect(one.json["description"] == "Torta za rođendan")
        let listed = try await api.get("/v1/deliveries?status=delivered", as: reader.token).items
        #expect(listed.count == 1 && listed[0]["recipient"] == .null)
        for word in ["ivic", "iva", "vukovarska", "9998877"] {
            let found = try await api.get("/v1/deliveries?status=delivered&q=\(word)", as: reader.token)
            #expect(found.status == 200 && found.items.isEmpty, "\(word)")
        }
        #expect(try await api.get("/v1/deliveries?status=delivered&q=torta", as: reader.token).items.count == 1)
        let proof = try await api.get(SampleDelivery.path(id, "proof"), as: reader.token)
        #expect(proof.json["disclosures"].names.allSatisfy { $0 == "/store_name" || $0.hasPrefix("/courier/") })
        #expect(
            proof.json["disclosures"].names.contains("/store_name")
                && ProofCheck(proof.reply.body)?.told.allSatisfy(\.holds) == true)
        let steps = try await api.get(SampleDelivery.path(id, "history"), as: reader.token).items
        #expect(steps.allSatisfy { $0["note"] == .null && $0["received_by"] == .null && $0["at_location"] == .null })
        try await api.numberEvents()
        let told = try await api.get("/v1/events", as: reader.token).items.filter { $0["delivery_id"].string == id }
        #expect(!told.isEmpty && told.allSatisfy { $0["delivery"]["recipient"] == .null })
    }

    @Test func `nobody is told a recipient any more when its days are over, erased or not`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, past, kept) = try await ended(api)
            for reader in [store, courier] { try await expectForgotten(past, by: reader, api) }
            let other = try await api.get(SampleDelivery.path(kept), as: store.token).json
            #expect(other["recipient"]["last_name"] == "Ivić")
            #expect(try await api.get("/v1/deliveries?status=cancelled&q=ivic", as: store.token).items.count == 1)

            #expect(try await api.database.run(ForgetRecipients()) == [1])
            #expect(try await api.database.run(ForgetRecipients()) == [0])
            for reader in [store, courier] { try await expectForgotten(past, by: reader, api) }
            let left = try await api.execute(
                """
                SELECT d.recipient_first_name, d.recipient_phone, d.recipient_lat || ' ' || d.recipient_lon, w.words::text LIKE '%vukovarska%',
                    w.words::text LIKE '%torta%', (
                        SELECT count(note) + count(received_by) + count(lat) FROM delivery_history h WHERE h.delivery_id = d.id)
                FROM deliveries d JOIN delivery_words w ON w.delivery_id = d.id ORDER BY d.id
                """)
            // Of the place stays the middle of its cell.
            let cell = AreaCell(of: try #require(Location(lat: 43.508, lon: 16.44))).middle
            #expect(cell.lat != 43.508 && cell.lon != 16.44)
            let place = "\(cell.lat) \(cell.lon)"
            #expect(
                left == [["", nil, place, "f", "t", "0"], ["Iva", "+385919998877", "43.508 16.44", "t", "t", "0"]])
            try await api.expectConsistency()
        }
    }

    @Test func `an operator says for how many days`() async throws {
        try await ServedProduct.serving { api in
            let (store, _, past, kept) = try await ended(api)
            try await api.execute("UPDATE trust SET recipient_days = 91")
            #expect(try await api.get(SampleDelivery.path(past), as: store.token).json["recipient"] != .null)
            try await api.execute("UPDATE trust SET recipient_days = 1")
            #expect(try await api.get(SampleDelivery.path(kept), as: store.token).json["recipient"] == .null)
            #expect(try await api.database.run(ForgetRecipients()) == [2])
        }
    }
}
