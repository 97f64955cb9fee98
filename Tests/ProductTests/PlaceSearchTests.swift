import Domain
import HTTP
import Services
import TestSupport
import Testing

@testable import API
@testable import Places

/// What completes an address: one's own places, a store's recipients, and the geocoder.
@Suite(.database) struct PlaceSearchTests {
    private func search(
        _ text: String, _ api: ServedProduct, _ person: Person, _ more: String = ""
    ) async throws -> Answer {
        try await api.get("/v1/places/search?q=\(encoded(text))\(more)", as: person.token)
    }

    private func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    private func found(_ text: String, _ api: ServedProduct, _ person: Person, _ more: String = "") async throws
        -> [String]
    {
        let answer = try await search(text, api, person, more)
        #expect(answer.status == 200, "\(text): \(answer.json)")
        return answer.items.map { "\($0["source"].string ?? ""): \($0["name"].string ?? "")" }
    }

    private func deliver(
        _ api: ServedProduct, _ store: Person, _ courier: Person, _ first: String, _ last: String,
        _ address: String, _ more: [String: JSON] = [:]
    ) async throws -> String {
        let recipient: JSON = [
            "first_name": .string(first), "last_name": .string(last), "address": .string(address),
        ]
        return try await api.delivery(of: store, to: [courier], ["recipient": recipient.with(more)])
    }

    private func keep(_ name: String, _ address: String, _ api: ServedProduct, _ person: Person) async throws {
        let form: JSON = ["name": .string(name), "address": .string(address), "phone": "01 4828 111"]
        #expect(try await api.post("/v1/places", form, as: person.token).status == 201)
    }

    @Test func `own places come first, then recipients, each once and the latest first`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await keep("Ordinacija Ivić", "Savska 102", api, store)
            _ = try await deliver(api, store, couriers[0], "Iva", "Ivić", "Ilica 1", ["phone": "091 999 8877"])
            _ = try await deliver(api, store, couriers[0], "Jan", "Ivić", "Ilica 2")
            let place: JSON = ["lat": .number(45.8), "lon": .number(15.9)]
            _ = try await deliver(
                api, store, couriers[0], "IVA", "Ivic", "ilica  1", ["phone": "098 123 456", "location": place])
            // Who is kept, too, is told as that.
            _ = try await deliver(api, store, couriers[0], "Ordinacija", "Ivić", "Savska 102")
            let answer = try await search("ivic", api, store)
            #expect(
                answer.items.map { [$0["source"], $0["name"]] } == [
                    ["saved", "Ordinacija Ivić"], ["recipient", "IVA Ivic"], ["recipient", "Jan Ivić"],
                ])
            #expect(answer.json["geocoder"] == nil)
            #expect(
                answer.items[1] == [
                    "source": "recipient", "name": "IVA Ivic", "address": "ilica  1", "first_name": "IVA",
                    "last_name": "Ivic", "location": place, "phone": "+38598123456",
                ])
            #expect(answer.items[0]["phone"] == "+38514828111" && answer.items[0]["first_name"] == nil)
            let expected: [(String, [String])] = [
                ("savska", ["saved: Ordinacija Ivić"]), ("ilica 2", ["recipient: Jan Ivić"]),
                ("098123", ["recipient: IVA Ivic"]), ("0777", []), ("4828", ["saved: Ordinacija Ivić"]),
                ("jan ilica", ["recipient: Jan Ivić"]), ("torta", []), ("nitko", []),
            ]
            for (text, names) in expected {
                #expect(try await found(text, api, store) == names, "\(text)")
            }
            // Without a text, what one keeps.
            #expect(try await found("", api, store) == ["saved: Ordinacija Ivić"])
        }
    }

    @Test func `nobody finds what is another's`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let other = try await api.store()
            try await api.join(other, couriers[0])
            _ = try await deliver(api, store, couriers[0], "Tajna", "Osoba", "Skrivena 7", ["phone": "091 999 8877"])
            try await keep("Skrovište", "Skrivena 8", api, store)
            for text in ["tajna", "skriv", "0919998877", "osoba", "", "%", "_", "'"] {
                for person in [other, couriers[0]] {
                    #expect(try await found(text, api, person).isEmpty, "\(text)")
                }
            }
            #expect(try await found("skriv", api, store).count == 2)
        }
    }

    @Test func `recipients are found as long as they are kept`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await deliver(api, store, couriers[0], "Iva", "Ivić", "Ilica 1")
            try await api.act("cancel", id, as: store)
            #expect(try await found("ivic", api, store) == ["recipient: Iva Ivić"])
            try await api.execute("UPDATE deliveries SET cancelled_at = now() - interval '91 days' WHERE id = '\(id)'")
            #expect(try await found("ivic", api, store).isEmpty)
            try await api.execute("UPDATE deliveries SET cancelled_at = now() - interval '89 days' WHERE id = '\(id)'")
            #expect(try await found("ivic", api, store) == ["recipient: Iva Ivić"])
            try await api.execute("UPDATE trust SET recipient_days = 5")
            #expect(try await found("ivic", api, store).isEmpty)
        }
    }

    @Test func `a recipient is found however many others there are, by rare and by frequent words`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await deliver(api, store, couriers[0], "Rijetka", "Ptica", "Ilica 1")
            try await api.execute(
                """
                INSERT INTO deliveries (id, store_id, status, version, candidates, courier_id, recipient_first_name,
                    recipient_last_name, recipient_address, description, created_at, updated_at, accepted_at, delivered_at)
                SELECT uuid_v7(), store_id, 'delivered', 1, candidates, candidates[1], 'Iva' || n, 'Anić', 'Savska ' || n % 7, 'Torta',
                    now(), now(), now(), now() - n * interval '1 second'
                FROM deliveries, generate_series(1, 5000) n WHERE deliveries.id = '\(id)'
                """)
            try await api.execute(
                "UPDATE deliveries SET status = 'cancelled', cancelled_at = now() - interval '5 days' WHERE id = '\(id)'"
            )
            #expect(try await found("ptica rijet", api, store) == ["recipient: Rijetka Ptica"])
            #expect(try await found("iva4711", api, store) == ["recipient: Iva4711 Anić"])
            let many = try await found("anic", api, store)
            #expect(many.count == 10 && Set(many).count == 10)
            #expect(try await found("torta", api, store).isEmpty)
            #expect(try await found("savska ptica", api, store).isEmpty)
        }
    }

    /// Deliveries like one that there is, each with a last name of its own by its number, or what else SQL says of it.
    private func insert(
        _ count: Int, like id: String, _ first: String, _ last: String, _ status: String, _ api: ServedProduct
    ) async throws {
        try await api.execute(
            """
            INSERT INTO deliveries (id, store_id, status, version, candidates, courier_id, recipient_first_name,
                recipient_last_name, recipient_address, description, created_at, updated_at, accepted_at, delivered_at)
            SELECT uuid_v7(), store_id, '\(status)', 1, candidates, CASE WHEN '\(status)' <> 'pending' THEN candidates[1] END,
                \(first), \(last), 'Savska 1', 'Torta', now(), now(), CASE WHEN '\(status)' <> 'pending' THEN now() END,
                CASE WHEN '\(status)' = 'delivered' THEN now() END
            FROM deliveries, generate_series(1, \(count)) n WHERE deliveries.id = '\(id)'
            """)
    }

    @Test func `who gets much hides nobody who got something long ago`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await deliver(api, store, couriers[0], "Jan", "Ivić", "Ilica 1")
            try await api.act("cancel", id, as: store)
            let (first, last) = (
                "CASE WHEN n % 3 = 0 THEN 'Hotel' ELSE 'Iva' END", "CASE WHEN n % 3 = 0 THEN 'Ivić' ELSE 'Anić' END"
            )
            try await insert(2500, like: id, first, last, "delivered", api)
            #expect(try await found("ivic", api, store) == ["recipient: Hotel Ivić", "recipient: Jan Ivić"])
        }
    }

    @Test func `the latest come first, however their deliveries stand`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await deliver(api, store, couriers[0], "Eva", "Ivić", "Ilica 1", ["phone": "091 999 8877"])
            try await insert(400, like: id, "'Iva' || n % 10", "'Ivić'", "pending", api)
            for (first, phone) in [("Eva", "098 123 456"), ("Nova", "098 123 457")] {
                let late = try await deliver(
                    api, store, couriers[0], first, "Ivić", "Ilica 1", ["phone": .string(phone)])
                try await api.act("cancel", late, as: store)
            }
            let answer = try await search("ivic", api, store)
            #expect(answer.items.count == 10)
            #expect(
                answer.items.prefix(2).map { [$0["name"], $0["phone"]] } == [
                    ["Nova Ivić", "+38598123457"], ["Eva Ivić", "+38598123456"],
                ])
            // The same of those that the index finds.
            let rare = try await search("ivic ilica", api, store)
            #expect(rare.items.map { $0["phone"] } == ["+38598123457", "+38598123456"])
        }
    }

    @Test func `odd texts find nothing, and what is no place is refused`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await deliver(api, store, couriers[0], "Iva", "O’Brien", "Straße 1")
            try await keep("L'été", "Łódź 3", api, store)
            for text in [
                "%", "_", "*", "':*", "' | '", "& !", "\\", "'''", "<x>", "🎂", "....", "-", "\u{200b}a",
                "a\u{301}\u{301}",
                "iva' OR 1=1 --", "null", "(", "ة",
            ] {
                #expect(try await found(text, api, store).isEmpty, "\(text)")
            }
            for (text, count) in [
                ("brien", 1), ("STRASSE", 1), ("ete", 1), ("lodz", 1), ("ŁÓDŹ 3", 1), ("iva o'brien", 1),
            ] {
                #expect(try await found(text, api, store).count == count, "\(text)")
            }
            for near in [
                "45.8", "45.8,15.9,3", "x,y", "91,0", "0,181", "nan,nan", "inf,0", "45.8;15.9", ",", "45.8,", " ",
                "0x10,2",
            ] {
                let refused = try await search("iva", api, store, "&near=\(encoded(near))")
                #expect(refused.status == 422 && refused.wrong == ["near": "invalid_location"], "\(near)")
            }
            for near in ["45.8,15.9", "-45.8,-15.9", "", "90,-180", "1e1,2"] {
                #expect(try await search("iva", api, store, "&near=\(encoded(near))").status == 200, "\(near)")
            }
            let zero = try await search("a\u{0}b", api, store)
            #expect([400, 422].contains(zero.status))
            #expect(try await search("iva", api, store, "&own=maybe").wrong == ["own": "wrong_type"])
        }
    }

    @Test func `the geocoder completes what is not known, and is asked no more than that needs`() async throws {
        try await FarAway.running { far in
            var services = ServicesFarAway.Settings()
            services.geocoder = GeocoderPlace("photon:" + far.url())
            try await ServedProduct.serving(services: services) { api in
                let about = try await api.get("/v1/about").json
                #expect(about["geocoder"] == "photon" && about["router"] == nil)
                let (store, courier) = (try await api.store(), try await api.courier())
                try await keep("Dom", "Ilica 1", api, courier)
                let both = try await search("ilica 1", api, courier, "&near=45.81,15.97")
                #expect(both.items.map { $0["source"] } == ["saved", "geocoder", "geocoder"])
                #expect(
                    both.items[1] == [
                        "source": "geocoder", "name": "Ilica 1", "address": "Ilica 1, 10000 Zagreb", "first_name": nil,
                        "last_name": nil, "phone": nil,
                        "location": ["lat": .number(45.81302), "lon": .number(15.97726)],
                    ])
                #expect(try await found("ilica 1", api, store, "&near=45.81,15.97").count == 2)
                #expect(far.asked.count == 1)
                for text in ["il", "10", "10000", ""] { _ = try await search(text, api, store) }
                #expect(try await found("savska", api, store, "&own=true").isEmpty)
                #expect(far.asked.count == 1)
                // Ten that are one's own leave nothing to ask for.
                for number in 1...10 { try await keep("Savska \(number)", "Zagreb", api, store) }
                #expect(try await found("savska", api, store).count == 10)
                #expect(far.asked.count == 1)
            }
        }
    }

    @Test(arguments: ["photon", "nominatim"], ["slow", "failing", "garbage"])
    func `a search goes without a geocoder that does not answer`(_ kind: String, _ way: String) async throws {
        try await FarAway.running { far in
            var services = ServicesFarAway.Settings()
            services.geocoder = GeocoderPlace("\(kind):" + far.url(way))
            try await ServedProduct.serving(services: services) { api in
                let store = try await api.store()
                try await keep("Ured", "Ilica 1", api, store)
                async let asked = search("ilica", api, store)
                if way == "slow" {
                    try await eventually { far.asked.count == 1 }
                    // Nothing else waits for it.
                    #expect(try await found("ilica", api, store, "&own=true") == ["saved: Ured"])
                }
                let answer = try await asked
                #expect(answer.status == 200 && answer.json["geocoder"] == "unavailable")
                #expect(answer.items.map { $0["name"] } == ["Ured"])
            }
        }
    }

    @Test func `nobody asks the geocoder without end`() async throws {
        try await FarAway.running { far in
            var services = ServicesFarAway.Settings()
            services.geocoder = GeocoderPlace("photon:" + far.url())
            try await ServedProduct.serving(looseness: 0.05, services: services) { api in
                let (store, other) = (try await api.store(), try await api.store())
                let (first, second) = (
                    try await search("ilica 1", api, store), try await search("ilica 10", api, store)
                )
                #expect(first.json["geocoder"] == nil && second.json["geocoder"] == nil)
                let third = try await search("savska", api, store)
                #expect(third.status == 200 && third.json["geocoder"] == "unavailable")
                // What was answered before costs nothing, and others are not concerned.
                #expect(try await search("savska", api, other).json["geocoder"] == nil)
                #expect(far.asked.count == 3)
                var statuses: [Int] = []
                for _ in 1...50 { statuses.append(try await search("savska", api, store).status) }
                #expect(statuses.contains(429))
            }
        }
    }
}
