import Domain
import HTTP
import TestSupport
import Testing

@testable import API
@testable import Papers

/// Somebody who sends codes that are made to cost much.
@Suite(.database) struct HostilePaperTests {
    @Test func `a thousand hostile codes keep nobody else from anything`() async throws {
        let certificates = try await Certificates.made()
        let hostile = Array(certificates.broken.values)
        try await ServedProduct.serving(papers: try certificates.known()) { api in
            let (attacker, ana, store) = (try await api.courier(), try await api.courier(), try await api.store())
            try await api.join(store, ana)
            let raw: JSON = ["raw": .string(try certificates.code("vaccination"))]
            async let attack = together(Array(0..<1000)) { number in
                let form: JSON = ["raw": .string(hostile[number % hostile.count])]
                return try await api.post("/v1/me/credentials", form, as: attacker.token)
            }
            // Meanwhile nobody else is refused anything.
            for _ in 0..<50 {
                let made = try await api.post("/v1/me/credentials", raw, as: ana.token)
                #expect([200, 201].contains(made.status), "\(made.json)")
                #expect(try await api.get("/v1/me/credentials", as: ana.token).items.count == 1)
                #expect(try await api.get("/v1/partners", as: store.token).status == 200)
            }
            let answers = try await attack
            #expect(Set(answers.map(\.status)).isSubset(of: [422, 429]), "\(Set(answers.map(\.status)))")
            #expect(answers.contains { $0.code == "unreadable_code" })
            #expect(try await api.execute("SELECT count(*) FROM credentials") == [["1"]])
        }
    }

    /// What a code says of its size is not believed, and what it really has is bounded.
    @Test func `no code costs more than a few milliseconds, whatever it is made of`() async throws {
        let certificates = try await Certificates.made()
        let hostile = ContinuousClock().measure {
            for _ in 0..<10 { for code in certificates.broken.values { #expect(HealthCertificate(code) == nil) } }
        }
        let code = try certificates.code("vaccination PS256")
        let known = try certificates.known()
        let good = try ContinuousClock().measure {
            for _ in 0..<200 {
                let read = try #require(HealthCertificate(code))
                #expect(known.verdict(on: read, at: .now).state == .valid)
            }
        }
        print("a hostile code: \(hostile / (10 * certificates.broken.count)), a good one: \(good / 200)")
    }
}
