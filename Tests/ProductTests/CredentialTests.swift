import Crypto
import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Papers

/// The papers that couriers keep.
@Suite(.database) struct CredentialTests {
    private static let path = "/v1/me/credentials"
    private static let licence: JSON = ["raw": "B-123 ", "kind": "licence", "title": "Vozačka dozvola"]

    private func serving(_ body: (ServedProduct, Certificates, Person) async throws -> Void) async throws {
        let certificates = try await Certificates.made()
        try await ServedProduct.serving(papers: try certificates.known()) { api in
            try await body(api, certificates, try await api.courier())
        }
    }

    @Test func `a certificate is kept and understood, and the same one once`() async throws {
        try await serving { api, certificates, ana in
            let raw: JSON = ["raw": .string(try certificates.code("vaccination"))]
            let made = try await api.post(Self.path, raw, as: ana.token)
            #expect(made.status == 201)
            let paper = made.json
            #expect(paper["kind"] == "vaccination" && paper["state"] == "valid" && paper["verified"] == true)
            #expect(paper["holder"] == "Zvjezdana Horvatinčić" && paper["birth_date"] == "1987-06-05")
            #expect(paper["country"] == "HR" && paper["issuer"] == "Ministry of Health" && paper["title"] == .null)
            #expect(paper["details"]["product"] == "EU/1/20/1528" && paper["details"]["dose"] == 2)
            #expect(paper["valid_from"].string != nil && paper["valid_until"].string != nil)
            let again = try await api.post(Self.path, raw.with(["kind": "other", "title": "x"]), as: ana.token)
            #expect(again.status == 200 && again.json == paper)
            // Somebody else may keep it as well.
            let ivo = try await api.courier()
            #expect(try await api.post(Self.path, raw, as: ivo.token).status == 201)
            #expect(try await api.get(Self.path, as: ana.token).items == [paper])
        }
    }

    /// Whoever finds a field empty or in another's place is told something false of an illness.
    @Test func `all that a certificate of each kind says is told, and for how long it is good`() async throws {
        try await serving { api, certificates, ana in
            let now = certificates.madeAt
            func day(_ days: Int64) -> Day { Day(number: now.milliseconds / 86_400_000 + days) }
            func text(_ day: Day) -> JSON { .string("\(day)") }
            func begin(_ day: Day) -> JSON { .string(Timestamp(day.begin).text) }
            func hours(_ hours: Int64) -> JSON {
                .string(Timestamp(Moment(milliseconds: now.milliseconds + hours * 3_600_000)).text)
            }
            let common: JSON = ["disease": "840539006", "certificate_id": "URN:UVCI:01:HR:TAJNA12345#K"]
            let test: JSON = common.with(["name": "Roche cobas", "device": "1341", "centre": "Fran Mihaljević"])
            let said: [(name: String, kind: JSON, details: JSON, from: JSON, until: JSON)] = [
                (
                    "recovery", "recovery",
                    common.with(["first_positive": text(day(-60)), "from": text(day(-49)), "until": text(day(120))]),
                    begin(day(-49)), begin(day(120))
                ),
                (
                    "vaccination", "vaccination",
                    common.with([
                        "vaccine": "1119349007", "product": "EU/1/20/1528", "manufacturer": "ORG-100030215",
                        "date": text(day(-100)), "dose": 2, "doses": 2,
                    ]), begin(day(-100)), begin(day(170))
                ),
                (
                    "pcr", "test",
                    test.with(["type": "LP6464-4", "sampled_at": hours(-71), "result": "negative"]), hours(-71),
                    hours(1)
                ),
                (
                    "antigen", "test",
                    test.with(["type": "LP217198-3", "sampled_at": hours(-47), "result": "negative"]), hours(-47),
                    hours(1)
                ),
                (
                    "pcr positive", "test",
                    test.with(["type": "LP6464-4", "sampled_at": hours(-1), "result": "positive"]), hours(-1),
                    hours(71)
                ),
            ]
            for (name, kind, details, from, until) in said {
                let raw: JSON = ["raw": .string(try certificates.code(name))]
                let paper = try await api.post(Self.path, raw, as: ana.token).json
                let expected: JSON = [
                    "id": paper["id"], "added_at": paper["added_at"], "kind": kind, "title": .null,
                    "holder": "Zvjezdana Horvatinčić", "birth_date": "1987-06-05", "country": "HR",
                    "issuer": "Ministry of Health", "details": details, "valid_from": from, "valid_until": until,
                    "verified": true, "state": name == "pcr positive" ? "positive" : "valid", "shared_with": [],
                ]
                #expect(paper == expected, "\(name)")
                #expect(try await api.get(Self.path, as: ana.token).items.first == expected, "\(name)")
            }
        }
    }

    @Test func `what the courier states is good until its end, if it has one`() async throws {
        try await serving { api, _, ana in
            func add(_ more: [String: JSON]) async throws -> Answer {
                try await api.post(Self.path, Self.licence.with(more), as: ana.token)
            }
            let first = try await add([:])
            #expect(first.status == 201 && first.json["state"] == "valid" && first.json["verified"] == false)
            #expect(first.json["title"] == "Vozačka dozvola" && first.json["holder"] == "Ana Anić")
            #expect(first.json["valid_until"] == .null && first.json["details"] == [:])
            let same = try await add(["title": "Another name", "kind": "other"])
            #expect(same.status == 200 && same.json == first.json)
            // A space is a part of a code.
            #expect(try await add(["raw": "B-123"]).status == 201)
            let past = try await add(["raw": "1", "kind": "insurance", "valid_until": "2020-02-01T10:00:00Z"])
            #expect(past.json["state"] == "expired" && past.json["valid_until"] == "2020-02-01T10:00:00.000Z")
            let day = try await add(["raw": "2", "kind": "health", "valid_until": "2099-12-30"])
            #expect(day.json["state"] == "valid" && day.json["valid_until"] == "2099-12-31T00:00:00.000Z")
            let all = try await api.get(Self.path, as: ana.token)
            #expect(all.items.map { $0["kind"] } == ["health", "insurance", "licence", "licence"])
            #expect(all.json["unreadable"] == 0)
            #expect(try await api.get(Self.path + "?valid=true", as: ana.token).items.count == 3)
            #expect(try await api.get(Self.path + "?valid=false", as: ana.token).items.count == 1)
            let page = try await api.get(Self.path + "?limit=3", as: ana.token)
            let cursor = try #require(page.json["next_cursor"].string)
            #expect(page.items.count == 3)
            #expect(
                try await api.get(Self.path + "?limit=3&cursor=\(cursor)", as: ana.token).items
                    == [first.json])
        }
    }

    /// Of what a courier scans again nobody has to say a second time what it is.
    @Test func `a code that is kept is found by itself, and only by whoever keeps it`() async throws {
        try await serving { api, _, ana in
            let kept = try await api.post(Self.path, Self.licence, as: ana.token)
            #expect(kept.status == 201)
            let raw: JSON = ["raw": "B-123 "]
            let again = try await api.post(Self.path, raw, as: ana.token, headers: ["Idempotency-Key": "again"])
            #expect(again.status == 200 && again.json == kept.json, "\(again.json)")
            let ivo = try await api.courier()
            #expect(try await api.post(Self.path, raw, as: ivo.token).code == "unreadable_code")
            // A space is a part of a code.
            #expect(try await api.post(Self.path, ["raw": "B-123"], as: ana.token).code == "unreadable_code")
            let id = try #require(kept.json["id"].string)
            #expect(try await api.call("DELETE", Self.path + "/\(id)", as: ana.token).status == 204)
            #expect(try await api.post(Self.path, raw, as: ana.token).code == "unreadable_code")
        }
    }

    @Test func `pages of those that are valid, and of the others, lose none and repeat none`() async throws {
        try await serving { api, _, ana in
            var (valid, others): ([JSON], [JSON]) = ([], [])
            // They take turns, so that no page begins or ends where one of all would.
            for number in 1...9 {
                let until: JSON = number.isMultiple(of: 2) ? "2020-01-01" : "2099-01-01"
                let form = Self.licence.with(["raw": .string("\(number)"), "valid_until": until])
                let paper = try await api.post(Self.path, form, as: ana.token).json
                if paper["state"] == "valid" { valid.insert(paper, at: 0) } else { others.insert(paper, at: 0) }
            }
            #expect((valid.count, others.count) == (5, 4))
            for (isValid, wanted) in [(true, valid), (false, others)] {
                for limit in 1...6 {
                    var (found, cursor): ([JSON], String?) = ([], "")
                    while let after = cursor {
                        let page = try await api.get(
                            Self.path + "?valid=\(isValid)&limit=\(limit)\(after)", as: ana.token)
                        #expect(page.items.count == min(limit, wanted.count - found.count))
                        #expect(page.json["unreadable"] == 0)
                        found += page.items
                        cursor = page.json["next_cursor"].string.map { "&cursor=\($0)" }
                    }
                    #expect(found == wanted, "valid=\(isValid), limit=\(limit)")
                }
            }
        }
    }

    @Test func `what cannot be read is not kept`() async throws {
        try await serving { api, certificates, ana in
            for (name, code) in certificates.broken {
                let answer = try await api.post(Self.path, ["raw": .string(code)], as: ana.token)
                #expect(answer.status == 422 && answer.code == "unreadable_code", "\(name): \(answer.json)")
            }
            let unnamed = try await api.post(Self.path, ["raw": "something"], as: ana.token)
            #expect(unnamed.status == 422 && unnamed.code == "unreadable_code")
            for (form, wrong): (JSON, [String: String]) in [
                ([:], ["raw": "required"]), (["raw": "\n"], ["raw": "required"]),
                (["raw": "x", "kind": "eu_dcc", "title": "x"], ["kind": "invalid_value"]),
                (["raw": "x", "kind": "licence"], ["title": "required"]),
                (
                    ["raw": "x", "kind": "licence", "title": "x", "valid_until": "soon"],
                    ["valid_until": "invalid_time"]
                ),
            ] {
                let answer = try await api.post(Self.path, form, as: ana.token)
                #expect(answer.status == 422 && answer.wrong == wrong, "\(answer.json)")
            }
            #expect(try await api.execute("SELECT FROM credentials").isEmpty)
        }
    }

    @Test func `one that no longer decodes is counted, and the others are shown`() async throws {
        try await serving { api, certificates, ana in
            #expect(try await api.post(Self.path, Self.licence, as: ana.token).status == 201)
            // As a former Kurir may have kept it, that understood more.
            let (courier, id) = (try #require(ID(ana.id)), ID.new())
            let vault = CredentialVault(ServedProduct.secret)
            let former = Credential(raw: try #require(certificates.broken["another schema"]), stated: nil)
            let add = AddCredential(
                courier: courier, id: id, sameness: vault.sameness(of: former.raw, courier),
                sealed: vault.seal(former, of: courier, id))
            _ = try await api.database.run(add)
            let list = try await api.get(Self.path, as: ana.token)
            #expect(list.items.count == 1 && list.json["unreadable"] == 1)
            // With whom it is shared stays as it was, since nobody could be told of what that is.
            let store = try await api.store()
            try await api.join(store, ana)
            let shared = try await api.share(id.description, of: ana, with: [store])
            #expect(shared.status == 422 && shared.code == "unreadable_code")
            #expect(try await api.execute("SELECT FROM credential_shares").isEmpty)
            #expect(try await api.call("DELETE", Self.path + "/\(id)", as: ana.token).status == 204)
            #expect(try await api.get(Self.path, as: ana.token).json["unreadable"] == 0)
        }
    }

    @Test func `fifty are kept, however many come at once`() async throws {
        try await serving { api, _, ana in
            for number in 1...47 {
                let form = Self.licence.with(["raw": .string("\(number)")])
                #expect(try await api.post(Self.path, form, as: ana.token).status == 201)
            }
            let answers = try await together(Array(1...8)) { number in
                let form = Self.licence.with(["raw": .string("new \(number)")])
                return try await api.post(Self.path, form, as: ana.token)
            }
            #expect(answers.filter { $0.status == 201 }.count == 3)
            #expect(answers.filter { $0.code == "too_many_credentials" && $0.status == 409 }.count == 5)
            // What is there is there.
            let same = try await api.post(Self.path, Self.licence.with(["raw": "7"]), as: ana.token)
            #expect(same.status == 200)
            let id = try #require(same.json["id"].string)
            #expect(try await api.call("DELETE", Self.path + "/\(id)", as: ana.token).status == 204)
            #expect(try await api.call("DELETE", Self.path + "/\(id)", as: ana.token).status == 404)
            #expect(try await api.post(Self.path, Self.licence.with(["raw": "7"]), as: ana.token).status == 201)
        }
    }

    @Test func `the same code at once is kept once`() async throws {
        try await serving { api, certificates, ana in
            let raw: JSON = ["raw": .string(try certificates.code("pcr"))]
            let answers = try await together(10) { try await api.post(Self.path, raw, as: ana.token) }
            #expect(answers.map(\.status).sorted() == Array(repeating: 200, count: 9) + [201])
            #expect(Set(answers.compactMap { $0.json["id"].string }).count == 1)
        }
    }

    @Test func `a repeated request is answered with the same, while it is kept`() async throws {
        try await serving { api, _, ana in
            let key = ["Idempotency-Key": "one"]
            let first = try await api.post(Self.path, Self.licence, as: ana.token, headers: key)
            let again = try await api.post(Self.path, Self.licence, as: ana.token, headers: key)
            #expect(first.status == 201 && again.status == 201 && first.json == again.json)
            let id = try #require(first.json["id"].string)
            #expect(try await api.call("DELETE", Self.path + "/\(id)", as: ana.token).status == 204)
            #expect(try await api.post(Self.path, Self.licence, as: ana.token, headers: key).status == 404)
        }
    }

    /// A licence has few digits: whoever holds a dump would try them all, if there were anything to compare with.
    @Test func `what is kept of a repeated request tells nobody who guesses what it was`() async throws {
        try await serving { api, _, ana in
            let key = ["Idempotency-Key": "guess"]
            #expect(try await api.post(Self.path, Self.licence, as: ana.token, headers: key).status == 201)
            let other = try await api.post(Self.path, Self.licence.with(["raw": "1"]), as: ana.token, headers: key)
            #expect(other.status == 422 && other.code == "idempotency_key_reused")
            let guessed = SHA256.hash(Array("POST \(Self.path)\n".utf8) + Self.licence.bytes)
            let kept = try await api.execute("SELECT encode(fingerprint, 'hex') FROM idempotency_keys")
            #expect(kept.count == 1 && kept != [[hexadecimal(guessed)]])
        }
    }

    /// A row that somebody moved to another courier, or another id, is worth nothing there.
    @Test func `what is sealed opens at its place alone`() async throws {
        let vault = CredentialVault(ServedProduct.secret)
        let (ana, ivo, id) = (ID.new(), ID.new(), ID.new())
        let credential = Credential(raw: "x", stated: .init(kind: .other, title: "y", until: nil))
        let sealed = vault.seal(credential, of: ana, id)
        #expect(try vault.open(sealed, of: ana, id) == credential)
        #expect(throws: (any Error).self) { try vault.open(sealed, of: ivo, id) }
        #expect(throws: (any Error).self) { try vault.open(sealed, of: ana, .new()) }
        #expect(vault.sameness(of: "x", ana) != vault.sameness(of: "x", ivo))
    }
}
