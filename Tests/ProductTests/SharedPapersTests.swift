import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Papers

/// What couriers share of their papers, and with whom.
@Suite(.database) struct SharedPapersTests {
    private func serving(
        _ body: (ServedProduct, Certificates, _ store: Person, _ ana: Person) async throws -> Void
    ) async throws {
        let certificates = try await Certificates.made()
        try await ServedProduct.serving(papers: try certificates.known()) { api in
            let (store, ana) = (try await api.store(), try await api.courier())
            try await api.join(store, ana)
            try await body(api, certificates, store, ana)
        }
    }

    @Test func `a store sees of a certificate whether it is valid, and nothing that tells of an illness`() async throws
    {
        try await serving { api, certificates, store, ana in
            for (name, state) in [
                ("vaccination", "valid"), ("pcr", "valid"), ("recovery", "valid"), ("pcr positive", "not_valid"),
                ("vaccination incomplete", "not_valid"), ("recovery not yet", "not_valid"),
                ("vaccination expired", "not_valid"), ("unknown key", "not_valid"), ("forged name ES256", "not_valid"),
            ] {
                let id = try await api.paper(["raw": .string(try certificates.code(name))], of: ana)
                #expect(try await api.share(id, of: ana, with: [store]).status == 200)
                let seen = try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token)
                #expect(seen.items.count == 1)
                let paper = try #require(seen.items.first)
                #expect(paper.names == ["kind", "state", "valid_until"], "\(name)")
                #expect(paper["kind"] == "eu_dcc" && paper["state"].string == state, "\(name)")
                #expect((paper["valid_until"] != .null) == (state == "valid" || name.hasSuffix("expired")), "\(name)")
                #expect(try await api.call("DELETE", "/v1/me/credentials/\(id)", as: ana.token).status == 204)
            }
            #expect(try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token).items.isEmpty)
        }
    }

    @Test func `of what is stated a store sees what it is called`() async throws {
        try await serving { api, _, store, ana in
            let form: JSON = [
                "raw": "TAJNA", "kind": "licence", "title": "Vozačka", "valid_until": "2099-01-01T00:00:00Z",
            ]
            let id = try await api.paper(form, of: ana)
            #expect(try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token).items.isEmpty)
            #expect(try await api.share(id, of: ana, with: [store]).json["shared_with"] == [.string(store.id)])
            let seen = try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token)
            #expect(
                seen.items == [
                    [
                        "kind": "licence", "title": "Vozačka", "state": "valid",
                        "valid_until": "2099-01-01T00:00:00.000Z",
                    ]
                ])
            #expect(!seen.reply.text.contains("TAJNA") && !seen.reply.text.contains(id))
            for number in 1...3 {
                let more = try await api.paper(form.with(["raw": .string("\(number)")]), of: ana)
                _ = try await api.share(more, of: ana, with: [store])
            }
            var (count, cursor) = (0, "")
            repeat {
                let page = try await api.get(
                    "/v1/couriers/\(ana.id)/credentials?limit=1\(cursor)", as: store.token)
                count += page.items.count
                cursor = page.json["next_cursor"].string.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty
            #expect(count == 4)
            #expect(try await api.share(id, of: ana, with: []).json["shared_with"] == [])
            #expect(try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token).items.count == 3)
        }
    }

    /// One that a former Kurir understood comes first, and the others come all the same.
    @Test func `a page does not end with what no longer decodes`() async throws {
        try await serving { api, certificates, store, ana in
            let (courier, id) = (try #require(ID(ana.id)), ID.new())
            let former = Credential(raw: try #require(certificates.broken["another schema"]), stated: nil)
            let sealed = CredentialVault(ServedProduct.secret).seal(former, of: courier, id)
            let first = [UInt8](repeating: 0, count: 32)
            _ = try await api.database.run(AddCredential(courier: courier, id: id, sameness: first, sealed: sealed))
            try await api.execute(
                "INSERT INTO credential_shares (store_id, courier_id, credential_id) VALUES ('\(store.id)', '\(ana.id)', '\(id)')"
            )
            for number in 1...3 {
                let id = try await api.paper(["raw": .string("\(number)"), "kind": "other", "title": "x"], of: ana)
                _ = try await api.share(id, of: ana, with: [store])
            }
            var (counts, cursor): ([Int], String?) = ([], "")
            while let after = cursor {
                let page = try await api.get(
                    "/v1/couriers/\(ana.id)/credentials?limit=1\(after)", as: store.token)
                counts.append(page.items.count)
                cursor = page.json["next_cursor"].string.map { "&cursor=\($0)" }
            }
            #expect(counts == [1, 1, 1])
        }
    }

    @Test func `nothing is shared with strangers`() async throws {
        try await serving { api, _, store, ana in
            let id = try await api.paper(["raw": "x", "kind": "other", "title": "x"], of: ana)
            let stranger = try await api.store()
            let refused = try await api.share(id, of: ana, with: [store, stranger])
            #expect(refused.status == 422 && refused.wrong == ["shared_with": "not_your_store"])
            #expect(try await api.execute("SELECT FROM credential_shares").isEmpty)
            let ivo = try await api.courier()
            try await api.join(store, ivo)
            #expect(try await api.share(id, of: ivo, with: [store]).status == 404)
            #expect(try await api.get("/v1/couriers/\(ana.id)/credentials", as: stranger.token).status == 404)
        }
    }

    @Test func `a partnership that ends takes its sharing along, however it ends`() async throws {
        try await serving { api, _, store, ana in
            let id = try await api.paper(["raw": "x", "kind": "other", "title": "x"], of: ana)
            _ = try await api.share(id, of: ana, with: [store])
            #expect(try await api.call("DELETE", "/v1/partners/\(ana.id)", as: store.token).status == 204)
            #expect(try await api.execute("SELECT FROM credential_shares").isEmpty)
            #expect(try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token).status == 404)
            // Who is a partner again is shown nothing until it is shared again.
            try await api.join(store, ana)
            #expect(try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token).items.isEmpty)
            _ = try await api.share(id, of: ana, with: [store])
            try await api.execute("DELETE FROM partners WHERE courier_id = '\(ana.id)'")
            #expect(try await api.execute("SELECT FROM credential_shares").isEmpty)
            #expect(try await api.get("/v1/me/credentials", as: ana.token).items[0]["shared_with"] == [])
        }
    }

    @Test func `a courier who is erased shares nothing any more, with the commit that begins it`() async throws {
        try await serving { api, _, store, _ in
            let ana = try await api.registerCourier("+385915566778")
            try await api.join(store, ana)
            let id = try await api.paper(["raw": "TAJNA", "kind": "licence", "title": "Vozačka"], of: ana)
            _ = try await api.share(id, of: ana, with: [store])
            #expect(try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token).items.count == 1)
            let password: JSON = ["current_password": .string(SamplePeople.password)]
            let left = try await api.call("DELETE", "/v1/me", password, as: ana.token)
            #expect(left.status < 300, "\(left.json)")
            let seen = try await api.get("/v1/couriers/\(ana.id)/credentials", as: store.token)
            #expect(seen.status == 404 || seen.items.isEmpty, "\(seen.json)")
            let partners = try await api.get("/v1/partners", as: store.token)
            #expect(!partners.reply.text.contains("Vozačka"))
        }
    }

    @Test func `sharing and ending at once end in nothing that is shared`() async throws {
        try await serving { api, _, store, ana in
            let id = try await api.paper(["raw": "x", "kind": "other", "title": "x"], of: ana)
            for _ in 0..<20 {
                async let shared = api.share(id, of: ana, with: [store])
                async let ended = api.call("DELETE", "/v1/partners/\(ana.id)", as: store.token)
                let (first, second) = try await (shared, ended)
                #expect([200, 422].contains(first.status) && second.status == 204, "\(first.json)")
                #expect(try await api.execute("SELECT FROM credential_shares").isEmpty)
                try await api.execute("DELETE FROM partnership_endings")
                try await api.join(store, ana)
            }
        }
    }

    /// Seventy couriers whose papers are as large as any: three megabytes, of which a list holds a small part at a time.
    @Test(.timeLimit(.minutes(10)))
    func `however many partners share however much, what each of them shares is told`() async throws {
        try await serving { api, _, store, ana in
            let couriers = [ana] + (try await together(69) { try await api.courier() })
            _ = try await together(Array(couriers.enumerated())) { number, courier in
                if courier.id != ana.id { try await api.join(store, courier) }
                let until: JSON = number.isMultiple(of: 2) ? "2099-01-01" : "2020-01-01"
                // What JSON writes in six bytes.
                let raw = String(repeating: "\u{1E}", count: Bounds.credential - 2) + "\(number)"
                let form: JSON = ["raw": .string(raw), "kind": "licence", "title": "B", "valid_until": until]
                _ = try await api.share(try await api.paper(form, of: courier), of: courier, with: [store])
            }
            let large = try await api.execute("SELECT FROM credentials WHERE octet_length(sealed) > 42000")
            #expect(large.count == 70)
            _ = try await api.call("PATCH", "/v1/me", ["wants": ["licence"]], as: store.token)
            let partners = try await api.get("/v1/partners?limit=100", as: store.token).items
            #expect(partners.count == 70)
            for (number, courier) in couriers.enumerated() {
                let told = partners.first { $0["id"].string == courier.id }
                #expect(told?["papers"] == ["licence": number.isMultiple(of: 2) ? "valid" : "expired"], "\(number)")
            }
            // All that one may share.
            for number in 0..<49 {
                let raw = String(repeating: "\u{1E}", count: Bounds.credential - 10) + "more \(number)"
                let form: JSON = ["raw": .string(raw), "kind": "other", "title": .string("\(number)")]
                _ = try await api.share(try await api.paper(form, of: ana), of: ana, with: [store])
            }
            let all = try await api.get("/v1/couriers/\(ana.id)/credentials?limit=100", as: store.token)
            #expect(Set(all.items.compactMap { $0["title"].string }) == Set((0..<49).map { "\($0)" } + ["B"]))
        }
    }

    @Test func `papers are taken in portions, each of which is small`() {
        func shares(_ bytes: [Int]) -> [Share] { bytes.map { Share(courier: .new(), id: .new(), bytes: $0) } }
        func portions(_ bytes: [Int]) -> [[Int]] {
            Share.portions(of: shares(bytes), upTo: 100).map { $0.map(\.bytes) }
        }
        #expect(portions([]) == [])
        #expect(portions([7]) == [[7]])
        #expect(portions([50, 50, 1]) == [[50, 50], [1]])
        #expect(portions([60, 50, 50, 100, 1]) == [[60], [50, 50], [100], [1]])
        // One that is larger than any that the database keeps is one alone.
        #expect(portions([1, 101, 1]) == [[1], [101], [1]])
        let many = shares((0..<2500).map { $0 * 7919 % 42_500 })
        let taken = Share.portions(of: many, upTo: 1 << 18)
        #expect(taken.allSatisfy { $0.reduce(0) { $0 + $1.bytes } <= 1 << 18 })
        #expect(taken.flatMap { $0.map(\.id) } == many.map(\.id))
    }

    @Test func `partners have papers of the kinds that the store wants`() async throws {
        try await serving { api, certificates, store, ana in
            let ivo = try await api.courier()
            try await api.join(store, ivo)
            func papers(of courier: Person, _ list: String = "/v1/partners") async throws -> JSON {
                let items = try await api.get(list, as: store.token).items
                return try #require(items.first { $0["id"].string == courier.id })["papers"]
            }
            #expect(try await papers(of: ana) == .null)
            func want(_ kinds: JSON) async throws -> Answer {
                try await api.call("PATCH", "/v1/me", ["wants": kinds], as: store.token)
            }
            let wanted = try await want(["licence", "eu_dcc", "licence"])
            #expect(wanted.status == 200 && wanted.json["wants"] == ["eu_dcc", "licence"])
            #expect(try await want(["passport"]).wrong == ["wants": "invalid_value"])
            let none: JSON = ["eu_dcc": "none", "licence": "none"]
            #expect(try await papers(of: ana) == none)
            for name in ["pcr positive", "vaccination incomplete", "forged name ES256"] {
                let id = try await api.paper(["raw": .string(try certificates.code(name))], of: ana)
                _ = try await api.share(id, of: ana, with: [store])
                #expect(try await papers(of: ana) == none, "\(name)")
            }
            let states = [("vaccination expired", "expired"), ("vaccination", "valid"), ("pcr expired", "valid")]
            for (name, state) in states {
                let id = try await api.paper(["raw": .string(try certificates.code(name))], of: ana)
                #expect(try await api.share(id, of: ana, with: [store]).status == 200)
                #expect(try await papers(of: ana)["eu_dcc"].string == state, "\(name)")
            }
            let past: JSON = ["raw": "B", "kind": "licence", "title": "B", "valid_until": "2020-01-01T00:00:00Z"]
            _ = try await api.share(try await api.paper(past, of: ana), of: ana, with: [store])
            // It is kept, but not wanted.
            let insurance: JSON = ["raw": "I", "kind": "insurance", "title": "I"]
            _ = try await api.share(try await api.paper(insurance, of: ana), of: ana, with: [store])
            for list in [
                "/v1/partners", "/v1/couriers?partner=true", "/v1/couriers?q=ana", "/v1/couriers?sort=reliability",
            ] {
                #expect(try await papers(of: ana, list) == ["eu_dcc": "valid", "licence": "expired"], "\(list)")
                #expect(try await papers(of: ivo, list) == none)
            }
            // Another store wants the same, and is shared nothing.
            let other = try await api.store()
            try await api.join(other, ana)
            _ = try await api.call("PATCH", "/v1/me", ["wants": ["eu_dcc"]], as: other.token)
            #expect(try await api.get("/v1/partners", as: other.token).items[0]["papers"] == ["eu_dcc": "none"])
            #expect(try await want([]).json["wants"] == [])
            #expect(try await papers(of: ana) == .null)
        }
    }
}

extension ServedProduct {
    /// Keeps a paper, and gives its id.
    func paper(_ form: JSON, of courier: Person) async throws -> String {
        let answer = try await post("/v1/me/credentials", form, as: courier.token)
        return try #require(answer.json["id"].string, "\(answer.json)")
    }

    /// Shares it with these stores.
    func share(_ id: String, of courier: Person, with stores: [Person]) async throws -> Answer {
        try await call(
            "PATCH", "/v1/me/credentials/\(id)", ["shared_with": .array(stores.map { .string($0.id) })],
            as: courier.token)
    }
}
