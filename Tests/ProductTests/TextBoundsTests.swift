import Domain
import HTTP
import TestSupport
import Testing

/// The API bounds texts in characters, and the database bounds them in bytes.
@Suite(.database) struct TextBoundsTests {
    /// One character to a reader, and more bytes than any column takes.
    private static let endless = "e" + String(repeating: "\u{301}", count: 9000)

    /// The longest text of characters of four bytes.
    private static func full(_ most: Int) -> JSON { .string(String(repeating: "🍋", count: most)) }

    /// Sends each text at its full length, which is accepted, and as one endless character, which is refused by name.
    private func expectBounds(
        _ texts: [String: Int], within parent: String = "", _ send: (_ texts: JSON) async throws -> Answer
    ) async throws {
        let taken = try await send(.object(texts.mapValues(Self.full)))
        #expect((200...204).contains(taken.status), "\(texts): \(taken.json)")
        let refused = try await send(.object(texts.mapValues { _ in .string(Self.endless) }))
        #expect(refused.status == 422)
        #expect(refused.wrong == Dictionary(uniqueKeysWithValues: texts.keys.map { (parent + $0, "too_long") }))
    }

    @Test func `texts of people are never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let store = ["name": Bounds.storeName, "address": Bounds.address]
            let courier = ["first_name": Bounds.name, "last_name": Bounds.name]
            try await expectBounds(store) {
                try await api.post("/v1/stores", SamplePeople.storeForm().with($0.members))
            }
            try await expectBounds(courier) {
                try await api.post("/v1/couriers", SamplePeople.courierForm().with($0.members))
            }
            for (person, texts) in [(try await api.store(), store), (try await api.courier(), courier)] {
                try await expectBounds(texts) { try await api.call("PATCH", "/v1/me", $0, as: person.token) }
            }
        }
    }

    @Test func `texts of deliveries are never longer than the database takes`() async throws {
        let recipient = ["first_name": Bounds.name, "last_name": Bounds.name, "address": Bounds.address]
        let texts = ["description": Bounds.text, "instructions": Bounds.text, "reference": Bounds.reference]
        let pickup = ["address": Bounds.address, "instructions": Bounds.text]
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            func create(_ more: [String: JSON]) async throws -> Answer {
                try await api.post("/v1/deliveries", SampleDelivery.form(to: couriers, more), as: store.token)
            }
            try await expectBounds(texts) { try await create($0.members) }
            try await expectBounds(recipient, within: "recipient.") { try await create(["recipient": $0]) }
            try await expectBounds(pickup, within: "pickup.") { try await create(["pickup": $0]) }
            let id = try await api.delivery(of: store, to: couriers)
            func change(_ form: JSON) async throws -> Answer {
                try await api.call("PATCH", SampleDelivery.path(id), form, as: store.token)
            }
            // Another delivery has the reference of that length.
            try await expectBounds(texts.filter { $0.key != "reference" }, change)
            try await expectBounds(recipient, within: "recipient.") { try await change(["recipient": $0]) }
        }
    }

    @Test func `papers are never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            func keep(_ raw: JSON, _ more: [String: JSON] = ["title": "x"]) async throws -> Answer {
                let form: JSON = ["raw": raw, "kind": "licence"]
                return try await api.post("/v1/me/credentials", form.with(more), as: courier.token)
            }
            try await expectBounds(["title": Bounds.credentialTitle]) { try await keep("x", $0.members) }
            #expect(try await keep(Self.full(Bounds.credential)).status == 201)
            let endless = "e" + String(repeating: "\u{301}", count: 2 * Bounds.credential)
            for long in [Self.full(Bounds.credential + 1), .string(endless)] {
                #expect(try await keep(long).wrong == ["raw": "too_long"])
            }
            // What JSON makes six bytes of each.
            let control: JSON = .string(String(repeating: "\u{1}", count: Bounds.credential))
            #expect(try await keep(control).status == 201)
        }
    }

    @Test func `what stores tell is never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            try await expectBounds(["title": Bounds.bulletinTitle, "text": Bounds.bulletinText]) {
                try await api.post("/v1/bulletin", $0, as: store.token)
            }
            let told: JSON = ["title": "Sutra ne radimo", "text": "Vidimo se."]
            func link(_ count: Int) -> [String: JSON] {
                let start = "https://example.com/"
                return ["link": .string(start + String(repeating: "🍋", count: count - start.count))]
            }
            let taken = try await api.post("/v1/bulletin", told.with(link(Bounds.bulletinLink)), as: store.token)
            #expect(taken.status == 201)
            let refused = try await api.post(
                "/v1/bulletin", told.with(link(Bounds.bulletinLink + 1)), as: store.token)
            #expect(refused.wrong == ["link": "too_long"])
        }
    }

    @Test func `what recipients say is never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)
            try await api.act("accept", id, as: couriers[0])
            for _ in 0..<Bounds.wishes {
                try await expectBounds(["text": Bounds.wish]) {
                    try await api.post("/v1/tracking/\(token)/wish", $0)
                }
            }
            try await api.act("deliver", id, as: couriers[0])
            try await expectBounds(["text": Bounds.rating]) {
                try await api.post("/v1/tracking/\(token)/rating", $0.with(["stars": 5]))
            }
        }
    }

    @Test func `reasons and notes are never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for (action, texts) in [
                ("pick_up", ["note": Bounds.reason]), ("reassign", ["note": Bounds.reason]),
                ("deliver", ["note": Bounds.reason, "received_by": Bounds.storeName]),
                ("cancel", ["reason": Bounds.reason, "note": Bounds.reason]),
            ] {
                try await expectBounds(texts) {
                    let id = try await api.delivery(of: store, to: couriers)
                    try await api.act("accept", id, as: couriers[0])
                    return try await api.act(
                        action, id, as: ["cancel", "reassign"].contains(action) ? store : couriers[0], $0)
                }
            }
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            // A text of former clients that is as long as the note beside it.
            let long: JSON = ["reason": Self.full(Bounds.reason), "note": Self.full(Bounds.reason)]
            #expect(try await api.act("cancel", id, as: couriers[0], long).status == 200)
            let cancelled = try await api.get("/v1/couriers/\(couriers[0].id)/cancellations", as: store.token).items
            try await expectBounds(["note": Bounds.reason]) {
                try await api.post(
                    "/v1/cancellations/\(cancelled[0]["id"].string ?? "")/contest", $0, as: couriers[0].token)
            }
            let key = try await api.key()
            try await api.put(to: ["+385912345678"])
            let message = try await api.claim(key)[0]
            try await expectBounds(["reason": Bounds.reason], within: "messages.0.") { texts in
                let failure: JSON = ["id": message["id"], "lease": message["lease"], "permanent": true]
                return try await api.post(
                    "/v1/outbox/nack", ["messages": [failure.with(texts.members)]], as: key)
            }
            #expect(
                try await api.execute("SELECT octet_length(reason) FROM messages_dead") == [["\(4 * Bounds.reason)"]])
        }
    }

    @Test func `a message to an invited courier is never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            try await expectBounds(["message": Bounds.inviteMessage]) {
                try await api.post("/v1/invites", $0.with(["phone": .string(SamplePeople.phone())]), as: store.token)
            }
        }
    }

    @Test func `texts of places are never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let texts = ["name": Bounds.placeName, "address": Bounds.address, "note": Bounds.placeNote]
            try await expectBounds(texts) { try await api.post("/v1/places", $0, as: courier.token) }
            let made = try await api.post("/v1/places", ["name": "Ured", "address": "Ilica 1"], as: courier.token)
            let path = "/v1/places/\(made.json["id"].string ?? "")"
            try await expectBounds(texts.filter { $0.key != "name" }) {
                try await api.call("PATCH", path, $0, as: courier.token)
            }
        }
    }

    @Test func `what people say, and say of themselves, is never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            try await expectBounds(["text": Bounds.said]) {
                try await api.post("/v1/conversations/\(id)/messages", $0, as: store.token)
            }
            try await expectBounds(["description": Bounds.description]) {
                try await api.call("PATCH", "/v1/me", $0, as: courier.token)
            }
            let longest = String(repeating: "\u{1F34B}", count: Bounds.quickAnswer)
            let all: JSON = ["texts": .array(Array(repeating: .string(longest), count: Bounds.quickAnswers))]
            #expect(try await api.call("PUT", "/v1/me/quick_answers", all, as: courier.token).status == 200)
            let wrong: JSON = ["texts": [.string(longest + "x")]]
            #expect(
                try await api.call("PUT", "/v1/me/quick_answers", wrong, as: courier.token).wrong == [
                    "texts": "too_long"
                ])
        }
    }

    @Test func `texts of the road are never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let texts = [
                "title": Bounds.roadTitle, "text": Bounds.text, "road": Bounds.road,
                "department": Bounds.roadDepartment,
            ]
            let seen: JSON = [
                "kind": "closure", "road_type": "city", "location": ["lat": .number(45.5), "lon": .number(15.5)],
            ]
            try await expectBounds(texts) { form in
                try await api.execute("DELETE FROM road_reports")
                return try await api.post("/v1/roads", seen.with(form.members), as: courier.token)
            }
        }
    }

    @Test func `devices, keys and searches are never longer than the database takes`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let endless = "e" + String(repeating: "%CC%81", count: 1000)
            let token = String(repeating: "%F0%9F%8D%8B", count: 256)
            for (name, status) in [(token, 204), (token + "x", 422), (endless, 422)] {
                let answer = try await api.call(
                    "PUT", "/v1/me/devices/" + name, ["platform": "fcm"], as: courier.token)
                #expect(answer.status == status)
            }
            for path in [
                "/v1/deliveries?q=", "/v1/couriers?q=", "/v1/places/search?q=", "/v1/conversations?q=",
                "/v1/stats?time_zone=",
            ] {
                #expect(try await api.get(path + endless, as: store.token).wrong.values.contains("too_long"), "\(path)")
            }
        }
    }

    @Test func `the database takes four bytes for each character`() async throws {
        let bounds = [
            "account_description": Bounds.description, "said_text": Bounds.said,
            "quick_answer_texts": Bounds.quickAnswer * Bounds.quickAnswers,
            // Kurir itself writes what an event says.
            "audit_detail": 1000,
            "cancellation_note": Bounds.reason,
            "courier_first_name": Bounds.name, "courier_last_name": Bounds.name,
            "dead_reason": Bounds.reason, "delivery_address": Bounds.address, "delivery_description": Bounds.text,
            "delivery_first_name": Bounds.name, "delivery_instructions": Bounds.text,
            "delivery_last_name": Bounds.name, "delivery_reference": Bounds.reference,
            // All of it as JSON, and sealed.
            "credential_sealed": 17_500,
            "device_token": Bounds.deviceTokenBytes / 4, "device_name": Bounds.deviceTokenBytes / 4,
            "gateway_key_name": Bounds.gatewayKeyName,
            // Three wishes, each with its time and what JSON needs.
            "extras_wishes": 1000, "extras_rating": Bounds.rating, "extras_pickup_address": Bounds.address,
            "extras_pickup_instructions": Bounds.text,
            "history_received_by": Bounds.storeName, "history_note": Bounds.reason, "history_reason": Bounds.reason,
            "invite_message": Bounds.inviteMessage, "review_note": Bounds.reason,
            "place_name": Bounds.placeName, "place_address": Bounds.address, "place_note": Bounds.placeNote,
            "road_title": Bounds.roadTitle, "road_text": Bounds.text, "road_name": Bounds.road,
            "road_department": Bounds.roadDepartment, "road_source": Bounds.roadSource,
            "road_source_id": Bounds.roadSourceID,
            // What a source far away may answer.
            "weather_forecast": 65_536,
            "session_user_agent": Bounds.userAgent, "store_address": Bounds.address, "store_name": Bounds.storeName,
            "store_opening_hours": Bounds.address,
            "bulletin_title": Bounds.bulletinTitle, "bulletin_text": Bounds.bulletinText,
            "bulletin_link": Bounds.bulletinLink, "bulletin_source": Bounds.bulletinSource,
            "bulletin_guid": Bounds.bulletinGUID,
        ]
        let constraints = try await ServedProduct.serving { api in
            try await api.execute(
                """
                SELECT conname, substring(pg_get_constraintdef(oid) FROM 'octet_length[^<]*<= ([0-9]+)')
                FROM pg_constraint WHERE pg_get_constraintdef(oid) LIKE '%octet_length%<=%' AND conislocal
                """)
        }
        let said = Dictionary(constraints.map { ($0[0] ?? "", $0[1].flatMap { Int($0) }) }) { first, _ in first }
        #expect(said == bounds.mapValues { 4 * $0 })
    }
}

extension JSON {
    fileprivate var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
}
