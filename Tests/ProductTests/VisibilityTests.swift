import Crypto
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API

/// Who sees which deliveries, in lists and alone, after every step; and who is told.
@Suite(.database) struct VisibilityTests {
    private func list(_ person: Person, _ api: ServedProduct, _ query: String = "") async throws -> [String] {
        try await api.get("/v1/deliveries" + query, as: person.token).items.compactMap { $0["id"].string }
    }

    @Test func `a courier lists what it may have and what is its own`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (ana, ivo) = (couriers[0], couriers[1])
            var ids: [String] = []
            for _ in 0..<7 { ids.append(try await api.delivery(of: store, to: couriers)) }
            // The first is only offered to both; the others are taken a step further by one each.
            try await api.act("accept", ids[1], as: ana)
            try await api.act("cancel", ids[1], as: ana)
            try await api.act("decline", ids[2], as: ana)
            try await api.act("accept", ids[3], as: ivo)
            try await api.act("accept", ids[4], as: ana)
            try await api.act("accept", ids[5], as: ana)
            try await api.act("deliver", ids[5], as: ana)
            try await api.act("cancel", ids[6], as: store)
            #expect(try await list(ana, api) == [ids[0], ids[4], ids[5]])
            #expect(try await list(ivo, api) == [ids[2], ids[1], ids[0], ids[3]])
            #expect(try await list(store, api) == [ids[2], ids[1], ids[0], ids[4], ids[3], ids[5], ids[6]])
            #expect(try await list(store, api, "?status=in_progress,cancelled") == [ids[4], ids[3], ids[6]])
            #expect(try await list(ana, api, "?status=delivered") == [ids[5]])
            #expect(try await api.get("/v1/deliveries?status=lost", as: ana.token).wrong == ["status": "invalid_value"])
            // A courier can read what is in its list, and beside that what it declined, as long as it may accept it after all.
            let readable = try await list(ana, api) + [ids[2]]
            for id in ids {
                #expect(
                    try await api.get(SampleDelivery.path(id), as: ana.token).status
                        == (readable.contains(id) ? 200 : 404))
            }
            // The store takes the offer back, and cancels the carried delivery.
            _ = try await api.call(
                "PATCH", SampleDelivery.path(ids[0]), ["courier_ids": [.string(ivo.id)]], as: store.token)
            try await api.act("cancel", ids[4], as: store)
            #expect(try await list(ana, api) == [ids[5], ids[4]])
            try await api.expectConsistency()
        }
    }

    @Test func `the end of a partnership ends seeing at once`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (ana, ivo) = (couriers[0], couriers[1])
            let offered = try await api.delivery(of: store, to: couriers)
            let onlyAnas = try await api.delivery(of: store, to: [ana])
            let carried = try await api.delivery(of: store, to: couriers)
            let delivered = try await api.delivery(of: store, to: [ana])
            for id in [carried, delivered] { try await api.act("accept", id, as: ana) }
            try await api.act("deliver", delivered, as: ana)
            let path = "/v1/partners/\(ana.id)"
            let refused = try await api.call("DELETE", path, as: store.token)
            #expect(refused.status == 409 && refused.code == "deliveries_in_progress")
            #expect(try await list(ana, api).count == 4)
            #expect(try await api.call("DELETE", path + "?release=true", as: store.token).status == 204)
            #expect(try await list(ana, api).isEmpty)
            for id in [offered, onlyAnas, carried, delivered] {
                #expect(try await api.get(SampleDelivery.path(id), as: ana.token).status == 404)
                for action in ["accept", "deliver", "cancel", "decline"] {
                    #expect(try await api.act(action, id, as: ana).status == 404, "\(action)")
                }
            }
            #expect(try await list(ivo, api) == [carried, offered])
            let released = try await api.get(SampleDelivery.path(carried), as: store.token).json
            #expect(released["status"] == "pending" && released["candidates"].items.count == 1)
            // No cancellation is counted.
            #expect(
                try await api.stats(of: ana) == [
                    "accepted": 2, "delivered": 1, "cancelled": 0, "declined": 0, "excused": 0,
                ])
            try await api.expectEvents(
                ["delivery.created", "delivery.updated", "delivery.stranded"], of: store, about: onlyAnas)
            try await api.expectEvents(
                ["delivery.offered", "delivery.taken", "delivery.offered"], of: ivo, about: carried)
            let invited = try await api.post("/v1/invites", ["courier_id": .string(ana.id)], as: store.token)
            #expect(invited.status == 201)
        }
    }

    /// An invite that was left over must not renew a partnership that the store has ended.
    @Test func `the end of a partnership takes back invites`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let invite = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
            try await api.join(store, courier)
            #expect(try await api.call("DELETE", "/v1/partners/\(courier.id)", as: store.token).status == 204)
            let again = try await api.post("/v1/partners", ["code": invite["code"]], as: courier.token)
            #expect(again.status == 410 && again.code == "code_revoked")
        }
    }

    @Test func `accepting and ending the partnership exclude each other`() async throws {
        try await ServedProduct.serving { api in
            for _ in 0..<100 {
                let (store, couriers) = try await api.team(1)
                let id = try await api.delivery(of: store, to: couriers)
                async let accepted = api.act("accept", id, as: couriers[0]).status
                async let ended = api.call("DELETE", "/v1/partners/\(couriers[0].id)", as: store.token).status
                let outcome = (try await accepted, try await ended)
                #expect(outcome == (200, 409) || outcome == (404, 204), "\(outcome)")
            }
            try await api.expectConsistency()
            #expect(
                try await api.execute(
                    """
                    SELECT d.id FROM deliveries d WHERE status = 'in_progress' AND NOT EXISTS (
                        SELECT FROM partners p WHERE p.store_id = d.store_id AND p.courier_id = d.courier_id)
                    """) == [])
        }
    }

    /// A courier who might accept learns where it goes, and learns the recipient only with the parcel; lists, feeds and
    /// searches keep to that, too.
    @Test func `only the courier who carries a delivery learns all of the recipient`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            func expectSeen(_ isKnown: Bool, by person: Person, _ line: Int = #line) async throws {
                let one = try await api.get(SampleDelivery.path(id), as: person.token).json
                let listed = try await api.get("/v1/deliveries", as: person.token).items.first
                let told = try await api.get("/v1/events", as: person.token).items.first?["delivery"]
                for seen in [one, listed, told] {
                    let recipient = try #require(seen?["recipient"])
                    #expect(recipient["first_name"] == "Iva" && recipient["address"] == "Vukovarska 5, Split")
                    #expect(recipient["location"]["lat"] == .number(43.508))
                    #expect(recipient["last_name"] == (isKnown ? "Ivić" : .null), "line \(line)")
                    #expect(recipient["phone"] == (isKnown ? "+385919998877" : .null), "line \(line)")
                }
                for (text, finds) in [
                    ("ivic", isKnown), ("9998877", isKnown), ("iva%20torta", true), ("iva%20ivic", isKnown),
                ] {
                    let found = try await list(person, api, "?q=\(text)")
                    #expect(found == (finds ? [id] : []), "\(text), line \(line)")
                }
            }
            for courier in couriers {
                try await api.expectEvents(["delivery.offered"], of: courier)
                try await expectSeen(false, by: courier)
            }
            try await expectSeen(true, by: store)
            try await api.act("accept", id, as: couriers[0])
            try await expectSeen(true, by: couriers[0])
            try await api.act("deliver", id, as: couriers[0])
            try await expectSeen(true, by: couriers[0])
            let back = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", back, as: couriers[0])
            try await api.act("cancel", back, as: couriers[0])
            let offered = try await api.get(SampleDelivery.path(back), as: couriers[1].token).json
            #expect(offered["recipient"]["last_name"] == .null && offered["recipient"]["phone"] == .null)
        }
    }

    /// Deliveries for a store that the courier has left come before the rest, and are passed over little by little.
    @Test func `many deliveries that are no longer seen do not hide the rest`() async throws {
        try await ServedProduct.serving { api in
            let (left, couriers) = try await api.team(1)
            let stays = try await api.store()
            try await api.join(stays, couriers[0])
            var kept: [String] = []
            for _ in 0..<3 { kept.append(try await api.delivery(of: stays, to: couriers)) }
            for id in kept { for action in ["accept", "deliver"] { try await api.act(action, id, as: couriers[0]) } }
            let one = try await api.delivery(of: left, to: couriers)
            for action in ["accept", "deliver"] { try await api.act(action, one, as: couriers[0]) }
            try await api.execute(
                """
                WITH made AS (
                    INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name,
                        recipient_last_name, recipient_address, description, created_at, updated_at, accepted_at, delivered_at)
                    SELECT ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, store_id, status, version, courier_id,
                        candidates, 'X', 'Y', 'Z', 'Torta', now(), now(), now(), now()
                    FROM deliveries, generate_series(1, 2500) n WHERE id = '\(one)' RETURNING *)
                INSERT INTO jobs (courier_id, status, delivery_id, store_id) SELECT courier_id, status, id, store_id FROM made
                """)
            #expect(try await api.call("DELETE", "/v1/partners/\(couriers[0].id)", as: left.token).status == 204)
            for query in ["?limit=2", "?limit=2&q=torta"] {
                var (seen, pages, cursor): ([String], Int, String?) = ([], 0, nil)
                repeat {
                    let page = try await api.get(
                        "/v1/deliveries" + query + (cursor.map { "&cursor=\($0)" } ?? ""), as: couriers[0].token)
                    seen += page.items.compactMap { $0["id"].string }
                    cursor = page.json["next_cursor"].string
                    pages += 1
                } while cursor != nil && pages < 9
                #expect(seen == kept.reversed(), "\(query)")
                if query == "?limit=2" { #expect(pages == 4) }
            }
        }
    }

    @Test func `notices that became untrue are withdrawn`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for (number, courier) in couriers.enumerated() {
                _ = try await api.call("PUT", "/v1/me/devices/phone\(number)", ["platform": "fcm"], as: courier.token)
            }
            func waiting(_ id: String) async throws -> [String] {
                try await api.execute("SELECT address FROM outbox WHERE subject = '\(id)' ORDER BY 1").compactMap {
                    $0[0]
                }
            }
            let taken = try await api.delivery(of: store, to: couriers)
            #expect(try await waiting(taken) == ["phone0", "phone1"])
            try await api.act("accept", taken, as: couriers[0])
            #expect(try await waiting(taken) == [])
            let cancelled = try await api.delivery(of: store, to: couriers)
            try await api.act("decline", cancelled, as: couriers[0])
            #expect(try await waiting(cancelled) == ["phone1"])
            try await api.act("cancel", cancelled, as: store)
            #expect(try await waiting(cancelled) == [])
            let edited = try await api.delivery(of: store, to: couriers)
            _ = try await api.call(
                "PATCH", SampleDelivery.path(edited), ["courier_ids": [.string(couriers[1].id)]], as: store.token)
            #expect(try await waiting(edited) == ["phone1"])
        }
    }

    @Test func `the carrier of a cancelled parcel is told by whatever reaches it`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store(name: "Kod Mare")
            var reached: [[String?]] = []
            for (hasDevice, isOn) in [(true, true), (false, true), (true, false), (false, false)] {
                let courier = try await api.courier(language: "hr")
                try await api.join(store, courier)
                if hasDevice {
                    _ = try await api.call("PUT", "/v1/me/devices/d\(isOn)", ["platform": "apns"], as: courier.token)
                }
                _ = try await api.call(
                    "PATCH", "/v1/me", ["notifications_enabled": .bool(isOn)], as: courier.token)
                let id = try await api.delivery(
                    of: store, to: [courier], ["reference": .string("R\(reached.count)\(hasDevice)")])
                try await api.act("accept", id, as: courier)
                try await api.act("cancel", id, as: store, ["reason": "kupac odustaje"])
                let rows = try await api.execute(
                    """
                    SELECT channel, (body LIKE '%Kod Mare%')::text, (body LIKE '%kupac odustaje%')::text, language
                    FROM outbox WHERE kind = 'delivery_cancelled' AND subject = '\(id)'
                    """)
                reached += rows
                // The feed tells in any case, but nothing of the recipient.
                try await api.expectEvents(
                    ["delivery.offered", "delivery.accepted", "delivery.cancelled"], of: courier, about: id)
                let last = try await api.get("/v1/events", as: courier.token).items.last?["delivery"]
                #expect(last?["status"] == "cancelled" && last?["recipient"] == .null && last?["courier"] == .null)
            }
            // What somebody wrote is in the app, and not in an SMS.
            #expect(reached == [["push", "true", "true", "hr"], ["sms", "true", "false", "hr"]])
        }
    }

    // MARK: Lists under the reader

    @Test func `pages stay right while rows move`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            var ids: [String] = []
            for _ in 0..<40 { ids.append(try await api.delivery(of: store, to: couriers)) }
            var (seen, cursor): ([String], String?) = ([], nil)
            var steps = 0
            repeat {
                let page = try await api.get(
                    "/v1/deliveries?limit=3" + (cursor.map { "&cursor=\($0)" } ?? ""), as: store.token)
                seen += page.items.compactMap { $0["id"].string }
                cursor = page.json["next_cursor"].string
                // Meanwhile one that was seen moves on, another is created, and the last one that was seen is
                // cancelled.
                try await api.act("accept", seen[steps], as: couriers[0])
                _ = try await api.delivery(of: store, to: couriers)
                if let last = seen.last { try await api.act("cancel", last, as: store) }
                steps += 1
            } while cursor != nil && steps < 40
            // Nothing that was there is left out.
            #expect(Set(seen).isSuperset(of: ids))
        }
    }

    @Test func `a cursor that is none is refused`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let id = "01a1fc35-081c-7c93-9601-9d67685da334"
            let list = Page.name(ofListAt: "/v1/deliveries")
            let key = Base64URL.encode(Array(#"["\#(list)","pending","0","\#(id)"]"#.utf8))
            #expect(try await api.get("/v1/deliveries?cursor=\(key)", as: store.token).status == 200)
            let texts = [
                // The same place in a spelling that no list writes, without its list, and in another.
                #"["\#(list)","pending", "0","\#(id)"]"#, #"["pending","0","\#(id)"]"#,
                #"["\#(Page.name(ofListAt: "/v1/partners"))","pending","0","\#(id)"]"#,
                #"["\#(list)"]"#, #"["\#(list)","pending","x","\#(id)"]"#, #"["a"]"#, "[]",
            ]
            for cursor in ["", "x"] + texts.map({ Base64URL.encode(Array($0.utf8)) }) {
                let answer = try await api.get("/v1/deliveries?cursor=\(cursor)", as: store.token)
                #expect(answer.status == 422 && answer.wrong == ["cursor": "invalid_cursor"], "\(cursor)")
            }
        }
    }

    @Test func `a cursor of a time that the database cannot have is none`() async throws {
        try await ServedProduct.serving { api in
            let (store, _, conversation) = try await api.talk()
            let id = "01a1fc35-081c-7c93-9601-9d67685da334"
            let lists = [
                ("/v1/bulletin", id), ("/v1/conversations", id), ("/v1/conversations/\(conversation)/messages", "7"),
            ]
            for (path, last) in lists {
                func get(_ time: Int64) async throws -> Answer {
                    let place = #"["\#(Page.name(ofListAt: path))","\#(time)","\#(last)"]"#
                    return try await api.get("\(path)?cursor=\(Base64URL.encode(Array(place.utf8)))", as: store.token)
                }
                #expect(try await get(0).status == 200, "\(path)")
                for time in [.min, .min + 1, -300_000_000_000_000_000, 9_000_000_000_000_000_000, .max] as [Int64] {
                    let answer = try await get(time)
                    #expect(answer.status == 422 && answer.wrong == ["cursor": "invalid_cursor"], "\(path) \(time)")
                }
            }
        }
    }

    @Test func `a cursor of one list is none of any other`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            for courier in couriers { try await api.act("decline", id, as: courier) }
            _ = try await api.delivery(of: store, to: couriers)
            try await api.execute(
                """
                INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
                SELECT gen_random_uuid(), account_id, sha256('another'), expires_at, address FROM sessions
                WHERE account_id = '\(store.id)'
                """)
            for _ in 0..<2 {
                let invited = try await api.post(
                    "/v1/invites", ["phone": .string(SamplePeople.phone())], as: store.token)
                #expect(invited.status == 201)
            }
            let lists = [
                "deliveries", "deliveries/\(id)/history", "couriers", "partners", "invites", "sessions",
            ].map { "/v1/\($0)" }
            for list in lists {
                let page = try await api.get("\(list)?limit=1", as: store.token)
                let cursor = try #require(page.json["next_cursor"].string, "\(list)")
                for other in lists {
                    let answer = try await api.get("\(other)?cursor=\(cursor)", as: store.token)
                    #expect(answer.status == (other == list ? 200 : 422), "\(list) goes on in \(other)")
                }
            }
        }
    }

    @Test func `a search finds words in every text`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(
                of: store, to: couriers, ["reference": "ŽUPA-7", "instructions": "treći kat"])
            _ = try await api.delivery(of: store, to: couriers, ["description": "knjige"])
            for text in ["%C5%BEupa-7", "TRE%C4%86I", "torta", "vukovarska"] {
                #expect(try await list(store, api, "?q=\(text)").contains(id), "\(text)")
                #expect(try await list(couriers[0], api, "?q=\(text)").contains(id), "\(text)")
            }
            // Searches as people type in a hurry, and by number.
            for text in ["zupa-7", "rodendan", "091%20999", "%2B385%2091/999", "8877"] {
                #expect(try await list(store, api, "?q=\(text)").contains(id), "\(text)")
            }
            #expect(try await list(store, api, "?q=Ani%C4%87").isEmpty)
            try await api.act("accept", id, as: couriers[0])
            #expect(try await list(store, api, "?q=anic") == [id])
            #expect(try await list(couriers[0], api, "?q=anic").isEmpty)
            try await api.act("cancel", id, as: couriers[0])
            #expect(try await list(store, api, "?q=nema-toga").isEmpty)
        }
    }

    /// Also one that it has only since.
    @Test func `a store that is no partner any more does not see a courier's number`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let ids = [
                try await api.delivery(of: store, to: couriers), try await api.delivery(of: store, to: couriers),
            ]
            for id in ids { try await api.act("accept", id, as: couriers[0]) }
            try await api.act("deliver", ids[0], as: couriers[0])
            try await api.act("cancel", ids[1], as: store)
            func phones() async throws -> [JSON] {
                try await api.get("/v1/deliveries", as: store.token).items.map { $0["courier"]["phone"] }
                    + [try await api.get(SampleDelivery.path(ids[0]), as: store.token).json["courier"]["phone"]]
            }
            #expect(try await phones() == Array(repeating: .string(couriers[0].login), count: 3))
            #expect(try await api.call("DELETE", "/v1/partners/\(couriers[0].id)", as: store.token).status == 204)
            #expect(try await phones() == [nil, nil, nil])
            let own = try await api.execute("SELECT phone FROM couriers")
            #expect(own == [[couriers[0].login]])
        }
    }
}
