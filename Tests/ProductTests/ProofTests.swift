import Crypto
import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Deliveries

/// What is signed when something is handed over, and who finds out that it was changed.
@Suite(.database) struct ProofTests {
    private static let photo = Array("a picture".utf8)

    private static func bundle(
        saying description: String = "Torta", at place: Location? = Location(lat: 45.8, lon: 16)
    ) -> ProofBundle {
        let (delivery, store, courier): (ID, ID, ID) = (.new(), .new(), .new())
        let time = Timestamp(microseconds: 1_780_000_000_000_000)
        let photo = HungPicture(id: .new(), sha256: hexadecimal(SHA256.hash(photo)))
        return ProofBundle(
            delivery: delivery, store: store, courier: courier, storeName: "Pekara", courierName: "Ana Anić",
            recipient: Recipient(
                firstName: "Iva", lastName: "Ivić", address: "Ilica 1", phone: nil,
                location: Location(lat: 45.81, lon: 15.98)),
            description: description, reference: nil,
            steps: [
                .init(seq: 1, action: "create", status: .pending, actorKind: "store", actor: store, at: time),
                .init(
                    seq: 2, action: "deliver", status: .delivered, actorKind: "courier", actor: courier, at: time,
                    note: "kod susjede", place: place, isPinRight: true, receivedBy: "Mara",
                    pictures: [photo]),
            ])
    }

    private static func file(_ proof: SignedProof, _ change: (String) -> String = { $0 }) throws -> ProofCheck {
        try #require(ProofCheck(Array(change(String(decoding: proof.json, as: UTF8.self)).utf8)))
    }

    private static let key = SigningKey.new()
    private static let keys = [Ed25519.name(of: key.publicKey): key.publicKey]

    @Test func `a proof holds and says who, what and where`() throws {
        let check = try Self.file(SignedProof(Self.bundle().written(), by: Self.key))
        #expect(check.signed(by: Self.keys).holds)
        let told = check.told
        #expect(told.allSatisfy { $0.holds })
        #expect(
            told.map(\.what) == [
                "/courier/name: Ana Anić", "/description: Torta",
                #"/recipient: {"address":"Ilica 1","first_name":"Iva","last_name":"Ivić","location":{"lat":45.81,"lon":15.98},"phone":null}"#,
                "/steps/1/note: kod susjede", #"/steps/1/place: {"lat":45.8,"lon":16}"#, "/steps/1/received_by: Mara",
                "/store_name: Pekara",
            ])
        // What is signed names nobody.
        let signed = String(decoding: check.bundle.canonical, as: UTF8.self)
        for word in ["Pekara", "Ana", "Iva", "Ilica", "45.8", "susjede", "Mara", "Torta"] {
            #expect(!signed.contains(word))
        }
        #expect(signed.contains(#""pin_matched":true"#))
    }

    @Test func `the same words have another hash in each proof`() {
        let bundle = Self.bundle()
        #expect(bundle.written().bundle != bundle.written().bundle)
    }

    /// It is written straight, so nobody else sees to that.
    @Test(
        arguments: ["Torta", "\"\\\u{1}\u{8}\u{c}\n\r\t\u{1f}\u{7f}", "šđčćž 🎂 \u{fb33}€"],
        [0.1, -0.0, 45, 1e-7, 179.99999999999997])
    func `what is signed is in the form of RFC 8785, whatever it says`(text: String, degrees: Double) throws {
        let written = Self.bundle(saying: text, at: Location(lat: degrees / 2, lon: degrees)).written()
        #expect(try #require(JSON(written.bundle)).canonical == written.bundle)
        let check = try Self.file(SignedProof(written, by: Self.key))
        #expect(check.told.allSatisfy(\.holds) && check.disclosed.contains { $0.lines == [text] })
    }

    @Test func `whatever is changed in what is signed is found`() throws {
        let proof = SignedProof(Self.bundle().written(), by: Self.key)
        for (old, new) in [
            (#""pin_matched":true"#, #""pin_matched":false"#), (#""version":1"#, #""version":2"#),
            (#""status":"delivered""#, #""status":"cancelled""#), (#""seq":2"#, #""seq":3"#), ("2026-", "2025-"),
        ] {
            let check = try Self.file(proof) { $0.replacing(old, with: new) }
            #expect(!check.signed(by: Self.keys).holds, "\(old)")
        }
    }

    @Test func `a changed text, a missing key and another signature are told apart`() throws {
        let proof = SignedProof(Self.bundle().written(), by: Self.key)
        let changed = try Self.file(proof) { $0.replacing("kod susjede", with: "u ruke") }
        #expect(changed.signed(by: Self.keys).holds)
        #expect(changed.told.filter { !$0.holds }.map(\.what) == ["/steps/1/note: not what was signed"])

        let other = SigningKey.new()
        let unknown = try Self.file(proof).signed(by: [Ed25519.name(of: other.publicKey): other.publicKey])
        #expect(!unknown.holds && unknown.what.contains("none of those that were given"))
        let forged = SignedProof(Self.bundle().written(), by: other)
        let pretended = try Self.file(forged) { $0.replacing(forged.keyID, with: proof.keyID) }.signed(by: Self.keys)
        #expect(!pretended.holds && pretended.what.hasPrefix("changed after it was signed"))
    }

    @Test func `what was erased is missing, and the rest still holds`() throws {
        let written = Self.bundle().written()
        guard case .object(var disclosures)? = JSON(written.disclosures) else { return #expect(Bool(false)) }
        for place in disclosures.keys where place != "/courier/name" { disclosures[place] = nil }
        let erased = ProofBundle.Written(
            bundle: written.bundle, disclosures: JSON.object(disclosures).bytes, earlierTexts: 0)
        let check = try Self.file(SignedProof(erased, by: Self.key))
        #expect(check.signed(by: Self.keys).holds && check.told.map(\.what) == ["/courier/name: Ana Anić"])
    }

    @Test func `pictures are found by their id or their hash, and a changed one is told from a missing one`() throws {
        let check = try Self.file(SignedProof(Self.bundle().written(), by: Self.key))
        let (id, hash) = try #require(check.pictures.first)
        let (right, wrong) = (Self.photo, Array("another".utf8))
        for name in ["\(id).jpg", "\(hash).png", "door.webp", id] {
            #expect(check.shown([(name, right)]) == [.init(holds: true, what: "picture \(id): as signed")])
        }
        for name in ["\(id).jpg", hash] {
            #expect(check.shown([(name, wrong)]).map(\.what) == ["picture \(id): changed after it was signed"])
        }
        #expect(check.shown([("door.jpg", wrong)]).map(\.what) == ["picture \(id): not among the files"])
    }

    @Test(arguments: ["", "{}", "[]", #"{"bundle":{},"signature":"!","key_id":"a","disclosures":{}}"#, "null"])
    func `what is no proof is not taken for one`(text: String) { #expect(ProofCheck(Array(text.utf8)) == nil) }

    // MARK: Kept

    /// A delivery that was handed over, with all that its proof can tell.
    private func delivered(_ api: ServedProduct) async throws -> (store: Person, couriers: [Person], id: String) {
        let (store, couriers) = try await api.team(2)
        let more: [String: JSON] = [
            "proof": ["pin": true, "photo": true, "signature": true], "cash": ["amount": 1200, "currency": "EUR"],
            "reference": "A-1",
        ]
        let id = try await api.delivery(of: store, to: couriers, more)
        try await api.act("accept", id, as: couriers[0])
        try await api.act(
            "pick_up", id, as: couriers[0],
            .photos([try await picture(40, of: couriers[0], api)], ["note": "još topla"]))
        let place: JSON = ["lat": .number(43.5), "lon": .number(16.4)]
        try await api.act("fail", id, as: couriers[0], ["reason": "nobody_home", "at_location": place])
        try await handOver(id, of: store, by: couriers[0], api)
        return (store, couriers, id)
    }

    private func handOver(_ id: String, of store: Person, by courier: Person, _ api: ServedProduct) async throws {
        let pin = try await api.get(SampleDelivery.path(id), as: store.token).json["pin"]
        let handed: [String: JSON] = [
            "pin": pin, "signature_id": .string(try await picture(41, of: courier, api).description),
            "received_by": "Mara", "note": "kod susjede", "cash_collected": ["amount": 1200, "currency": "EUR"],
        ]
        let answer = try await api.act(
            "deliver", id, as: courier, .photos([try await picture(42, of: courier, api)], handed))
        try #require(answer.status == 200, "\(answer.json)")
    }

    /// One that differs from others of another width.
    private func picture(_ width: Int32, of courier: Person, _ api: ServedProduct) async throws -> ID {
        try await api.picture(of: courier, Pictures.jpeg(width, 32))
    }

    private func proof(of id: String, for person: Person, _ api: ServedProduct) async throws -> ProofCheck {
        let answer = try await api.get(SampleDelivery.path(id, "proof"), as: person.token)
        return try #require(ProofCheck(answer.reply.body), "\(answer.json)")
    }

    private func keys(_ api: ServedProduct) async throws -> [String: [UInt8]] {
        try #require(ProofCheck.keys(try await api.get("/.well-known/kurir-proof-keys").reply.body))
    }

    @Test func `store and courier are given the proof, and the published keys verify it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers, id) = try await delivered(api)
            for person in [store, couriers[0]] {
                let check = try await proof(of: id, for: person, api)
                #expect(check.signed(by: try await keys(api)).holds && check.told.allSatisfy(\.holds))
            }
            for stranger in [couriers[1], try await api.store()] {
                #expect(try await api.get(SampleDelivery.path(id, "proof"), as: stranger.token).status == 404)
            }
        }
    }

    @Test func `a courier reads of the steps of others no more than in the history, and it verifies`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", id, as: couriers[0])
            try await api.act("pick_up", id, as: couriers[0], ["note": "prva"])
            let failed: JSON = [
                "reason": "nobody_home", "note": "druga", "at_location": ["lat": .number(45.1), "lon": .number(15.1)],
            ]
            try await api.act("fail", id, as: couriers[0], failed)
            try await api.act("reassign", id, as: store, ["courier_ids": [.string(couriers[1].id)], "note": "treća"])
            try await api.act("accept", id, as: couriers[1])
            try await api.act("deliver", id, as: couriers[1], ["note": "četvrta", "received_by": "Mara"])
            let whole = try await proof(of: id, for: store, api)
            let notes = whole.disclosed.filter { $0.name == "note" }.map(\.lines)
            #expect(notes == [["prva"], ["druga"], ["treća"], ["četvrta"]])
            let read = try await proof(of: id, for: couriers[1], api)
            #expect(read.signed(by: try await keys(api)).holds && read.told.allSatisfy(\.holds))
            let told = read.disclosed.filter { ["note", "place", "reason", "received_by"].contains($0.name) }
            #expect(told.map(\.lines) == [["četvrta"], ["Mara"]])
            #expect(read.disclosed.contains { $0.name == "recipient" })
            let page = try await api.get("/proof/\(id)", as: couriers[1].token)
            let text = String(decoding: page.reply.body, as: UTF8.self)
            #expect(text.contains("četvrta") && !text.contains("druga") && !text.contains("treća"))
        }
    }

    @Test func `a proof tells every step with what it showed`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers, id) = try await delivered(api)
            let check = try await proof(of: id, for: store, api)
            guard case .array(let steps) = check.bundle["steps"] else { return #expect(Bool(false), "\(check.bundle)") }
            #expect(steps.map { $0["action"] } == ["create", "accept", "pick_up", "fail", "deliver"])
            let kept = try await api.get(SampleDelivery.path(id, "history"), as: store.token).items
            for (step, kept) in zip(steps, kept) {
                for name in ["seq", "at", "status"] { #expect(step[name] == kept[name]) }
                #expect(step["actor"]["id"] == kept["actor"]["id"])
            }
            #expect(steps[4]["pin_matched"] == true && steps[3]["pin_matched"] == .null)
            #expect(steps[4]["cash_collected"] == ["amount": 1200, "currency": "EUR"])
            let told = check.disclosed.filter { $0.name != "name" && $0.name != "recipient" }.map(\.lines)
            #expect(
                told == [
                    ["Torta za rođendan"], ["A-1"], ["još topla"], ["43.5, 16.4"], ["nobody_home"], ["kod susjede"],
                    ["Mara"], ["Pekara"],
                ])
            // The pictures of every step, as they are given.
            #expect(check.pictures.count == 3)
            var files: [(name: String, bytes: [UInt8])] = []
            for picture in check.pictures {
                let given = try await api.look(at: try #require(ID(picture.id)), as: couriers[0])
                files.append((picture.id, given.body))
            }
            #expect(check.shown(files).map(\.holds) == [true, true, true])
            files[1].bytes[40] ^= 1
            #expect(check.shown(files).map(\.holds) == [true, false, true])
            #expect(!check.signed(by: [Ed25519.name(of: Self.key.publicKey): Self.key.publicKey]).holds)
        }
    }

    @Test func `what is opened again and handed over again has a new proof`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers, id) = try await delivered(api)
            let first = try await proof(of: id, for: store, api)
            try await api.act("reopen", id, as: store, ["note": "nije stiglo"])
            for person in [store, couriers[0]] {
                #expect(try await api.get(SampleDelivery.path(id, "proof"), as: person.token).status == 404)
            }
            try await handOver(id, of: store, by: couriers[0], api)
            let second = try await proof(of: id, for: store, api)
            #expect(second.signed(by: try await keys(api)).holds && second.bundle != first.bundle)
            #expect(second.said.count == first.said.count + 2)
            #expect(try await api.execute("SELECT count(*) FROM proofs") == [["2"]])
            try await api.expectConsistency()
        }
    }

    /// Whatever comes between reading the steps and signing them.
    @Test func `what is signed is the history, also when steps are taken at once`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for _ in 0..<40 {
                let id = try await api.delivery(of: store, to: couriers)
                try await api.act("accept", id, as: couriers[0])
                _ = try await together(["fail", "deliver", "pick_up", "edit", "fail"]) { action in
                    switch action {
                    case "edit":
                        try await api.call("PATCH", SampleDelivery.path(id), ["description": "Kruh"], as: store.token)
                    case "fail": try await api.act(action, id, as: couriers[0], ["reason": "refused"])
                    default: try await api.act(action, id, as: couriers[0])
                    }
                }
                let check = try await proof(of: id, for: store, api)
                let said = try await api.get(SampleDelivery.path(id), as: store.token).json["description"].string ?? ""
                #expect(check.signed(by: try await keys(api)).holds)
                #expect(check.told.contains { $0.what == "/description: \(said)" })
            }
            try await api.expectConsistency()
        }
    }

    @Test func `the proof can be printed by whoever may see it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers, id) = try await delivered(api)
            for person in [store, couriers[0]] {
                let page = try await api.get("/proof/\(id)", as: person.token)
                let text = String(decoding: page.reply.body, as: UTF8.self)
                for part in ["Pekara", "Ana", "kod susjede", "12.00 EUR collected", "<img src=\"/v1/files/"] {
                    #expect(text.contains(part), "\(part)")
                }
                // In words of people: none of a program's.
                #expect(text.matches(of: /<li><time>/).count == 5)
                for part in ["first_name", "pick_up", " by courier ", "nobody_home", "&quot;lat&quot;"] {
                    #expect(!text.contains(part), "\(part)")
                }
                #expect(page.reply.header("content-security-policy")?.contains("img-src 'self'") == true)
            }
            #expect(try await api.get("/proof/\(id)", as: couriers[1].token).status == 404)
        }
    }

    @Test func `what is changed in the database no longer verifies`() async throws {
        try await ServedProduct.serving { api in
            let (store, _, id) = try await delivered(api)
            try await api.execute(
                #"UPDATE proofs SET bundle = replace(bundle, '"pin_matched":true', '"pin_matched":false')"#)
            let check = try await proof(of: id, for: store, api)
            #expect(!check.signed(by: try await keys(api)).holds)
        }
    }

    @Test func `a former key is still published, and the newest signs`() async throws {
        try await ServedProduct.serving { api in
            let proofKeys = ProofKeys(api.database, secret: ServedProduct.secret)
            let first = try await proofKeys.current()
            #expect(try await proofKeys.current().publicKey == first.publicKey)
            try await api.execute("UPDATE server_keys SET purpose = 'former ' || purpose WHERE purpose LIKE 'proof %'")
            let second = try await proofKeys.current()
            try await api.execute(
                """
                UPDATE server_keys SET purpose = substr(purpose, 8), made_at = now() - interval '1 year'
                WHERE purpose LIKE 'former %'
                """)
            #expect(try await proofKeys.current().publicKey == second.publicKey)
            #expect(Set(try await keys(api).values) == [first.publicKey, second.publicKey])
        }
    }

    @Test func `a forgotten recipient is told by no proof, which still holds`() async throws {
        try await ServedProduct.serving { api in
            let (store, _, id) = try await delivered(api)
            try await api.execute("UPDATE deliveries SET delivered_at = delivered_at - interval '91 days'")
            #expect(try await api.database.run(ForgetRecipients()) == [1])
            let check = try await proof(of: id, for: store, api)
            #expect(check.signed(by: try await keys(api)).holds)
            #expect(check.told.allSatisfy { $0.holds })
            let told = check.told.map { $0.what.split(separator: ":")[0] }
            #expect(told == ["/courier/name", "/store_name"])
        }
    }
}
