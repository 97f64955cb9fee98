import Crypto
import Domain
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Deliveries

/// `kurir proof verify`, with nothing but files.
@Suite(.database) struct ProofCommandTests {
    private let key = SigningKey.new()
    private let photo = Array("a picture".utf8)

    private func proof() -> SignedProof {
        let shown = HungPicture(id: ID(high: 1, low: 2), sha256: hexadecimal(SHA256.hash(photo)))
        let bundle = ProofBundle(
            delivery: ID(high: 1, low: 1), store: ID(high: 1, low: 3), courier: ID(high: 1, low: 4),
            storeName: "Pekara",
            courierName: "Ana Anić",
            recipient: Recipient(firstName: "Iva", lastName: "Ivić", address: "Ilica 1", phone: nil, location: nil),
            description: "Torta", reference: nil,
            steps: [
                .init(
                    seq: 3, action: "deliver", status: .delivered, actorKind: "courier", actor: ID(high: 1, low: 4),
                    at: .init(microseconds: 1_780_000_000_000_000), isPinRight: true, pictures: [shown])
            ])
        return SignedProof(bundle.written(), by: key)
    }

    /// What is said about a proof, with files of that content beside it.
    private func verify(
        _ proof: String, keys: [SigningKey]? = nil, photos: [String: [UInt8]]? = nil
    ) async throws -> (code: Int32, text: String) {
        let directory = TemporaryDirectory.path("proof")
        try FileManager.default.createDirectory(atPath: directory + "/photos", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try Data(proof.utf8).write(to: URL(filePath: directory + "/proof.json"))
        var arguments = ["proof", "verify", directory + "/proof.json"]
        if let keys {
            try Data(ProofKeys.published(keys)).write(to: URL(filePath: directory + "/keys.json"))
            arguments += ["--key", directory + "/keys.json"]
        }
        for (name, bytes) in photos ?? [:] { try Data(bytes).write(to: URL(filePath: directory + "/photos/" + name)) }
        if photos != nil { arguments += ["--photos", directory + "/photos"] }
        let made = try await Program.run(Kurir.path, arguments)
        return (made.code, made.said + made.complained)
    }

    private var text: String { String(decoding: proof().json, as: UTF8.self) }

    @Test func `a proof that holds is told with what it says`() async throws {
        let (code, text) = try await verify(text, keys: [.new(), key], photos: ["door.jpg": photo])
        #expect(code == 0 && text.hasSuffix("The proof holds.\n"))
        for part in ["/store_name: Pekara", "deliver by courier", "PIN right", "/courier/name: Ana Anić", "as signed"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test func `without a key nobody is trusted, and it says where keys are`() async throws {
        let (code, text) = try await verify(text)
        #expect(code == 1 && text.contains("/.well-known/kurir-proof-keys"))
    }

    @Test func `each fault is told apart`() async throws {
        let changed = try await verify(
            text.replacing("\"action\":\"deliver\"", with: "\"action\":\"cancel\""), keys: [key])
        #expect(changed.code == 1 && changed.text.contains("FAILS  changed after it was signed"))
        let another = try await verify(text, keys: [.new()])
        #expect(another.code == 1 && another.text.contains("none of those that were given"))
        let words = try await verify(text.replacing("Torta", with: "Kruh"), keys: [key])
        #expect(words.code == 1 && words.text.contains("FAILS  /description: not what was signed"))
        let id = "\(ID(high: 1, low: 2)).jpg"
        let picture = try await verify(text, keys: [key], photos: [id: Array("another".utf8)])
        #expect(picture.code == 1 && picture.text.contains("changed after it was signed"))
        let missing = try await verify(text, keys: [key], photos: [:])
        #expect(missing.code == 1 && missing.text.contains("not among the files"))
        #expect(try await verify("{}", keys: [key]).code == 1)
    }

    /// The server is gone but for its keys, which are named by their URL.
    @Test func `what a server signed holds by the keys that it publishes`() async throws {
        let people = try await Team.make()
        try await Kurir.serving("--database", TestDatabase.current.url) { kurir in
            let made = try await kurir.send("POST", "/v1/deliveries", people.delivery, as: people.store)
            let id = try #require(made.body.firstMatch(of: /"id":"([^"]+)"/)).1
            for action in ["accept", "deliver"] {
                let answer = try await kurir.send("POST", "/v1/deliveries/\(id)/\(action)", as: people.couriers[0])
                try #require(answer.status == 200, "\(answer.body)")
            }
            let path = TemporaryDirectory.path("proof.json")
            let told = try await kurir.send("GET", "/v1/deliveries/\(id)/proof", as: people.store)
            try Data(told.body.utf8).write(to: URL(filePath: path))
            func verify(_ place: String) async throws -> (code: Int32, said: String, complained: String) {
                try await Program.run(Kurir.path, ["proof", "verify", path, "--key", kurir.address + place])
            }
            let right = try await verify("/.well-known/kurir-proof-keys")
            #expect(right.code == 0 && right.said.hasSuffix("The proof holds.\n"), "\(right)")
            for (place, why) in [("/nowhere", "gives no keys: it answers 404"), ("/readyz", "has no keys")] {
                let wrong = try await verify(place)
                #expect(wrong.code == 1 && wrong.complained.contains(why), "\(wrong)")
            }
            let nobody = try await Program.run(
                Kurir.path, ["proof", "verify", path, "--key", "http://127.0.0.1:1/keys"])
            #expect(nobody.code == 1 && nobody.complained.contains("gives no keys: "), "\(nobody)")
        }
    }
}
