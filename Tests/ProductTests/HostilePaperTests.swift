import Domain
import EventLoop
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

    /// While one paper is read, eight couriers ask nine times each, a store twelve times, and somebody as often as they like.
    @Test(.timeLimit(.minutes(10)))
    func `whoever asks for much is refused alone, and whoever waits is answered`() async throws {
        let reader = try PaperReader()
        let (hasBegun, isOpen) = (Locked(false), Locked(false))
        let first = Task {
            try await reader.read([0], for: .new()) { _ in
                hasBegun.withLock { $0 = true }
                isOpen.wait { $0 ? () : nil }
            }
        }
        try await eventually { hasBegun.withLock { $0 } }
        let (store, hostile) = (ID.new(), ID.new())
        let others = (0..<8).flatMap { _ in Array(repeating: ID.new(), count: 9) } + Array(repeating: store, count: 12)
        func ask(_ account: ID) -> Task<[Int], any Error> {
            Task { try await reader.read(Array(0..<9), for: account) { $0 } }
        }
        let greedy = (0..<PaperReader.mostOfOne).map { _ in ask(hostile) }
        try await eventually { reader.underWay.pool.waiting == greedy.count }
        let refused = await #expect(throws: Problem.self) { try await ask(hostile).value }
        #expect(refused?.code == "rate_limited")
        let asked = others.map(ask)
        try await eventually { reader.underWay.pool.waiting == greedy.count + asked.count }
        isOpen.withLock { $0 = true }
        isOpen.wake()
        for answer in asked + greedy { #expect(try await answer.value == Array(0..<9)) }
        _ = try await first.value
        try await blocking { reader.stop() }
    }

    /// Else each of them would hold its papers in memory before it is refused.
    @Test(.timeLimit(.minutes(10))) func `who has no place left asks for no papers`() async throws {
        let reader = try PaperReader()
        let (store, other) = (ID.new(), ID.new())
        let (holding, asked) = (Locked(0), Locked(false))
        let isOver = Task { try await Task.sleep(for: .seconds(600)) }
        let held = (0..<PaperReader.mostOfOne).map { _ in
            Task {
                try await reader.holding(for: store) { place in
                    holding.withLock { $0 += 1 }
                    _ = await isOver.result
                    return try await reader.read([1, 2], in: place) { $0 }
                }
            }
        }
        try await eventually { holding.withLock { $0 } == PaperReader.mostOfOne }
        func ask(_ account: ID) async throws -> [Int] {
            try await reader.holding(for: account) { place in
                asked.withLock { $0 = true }
                return try await reader.read([3], in: place) { $0 }
            }
        }
        let refused = await #expect(throws: Problem.self) { try await ask(store) }
        #expect(refused?.code == "rate_limited" && !asked.withLock { $0 })
        #expect(try await ask(other) == [3])
        isOver.cancel()
        for answer in held { #expect(try await answer.value == [1, 2]) }
        #expect(try await ask(store) == [3])
        try await blocking { reader.stop() }
    }

    @Test func `stores and couriers who ask for their papers many times at once are refused nothing`() async throws {
        let certificates = try await Certificates.made()
        try await ServedProduct.serving(papers: try certificates.known()) { api in
            let (store, ana) = (try await api.store(), try await api.courier())
            try await api.join(store, ana)
            for name in certificates.codes.keys.sorted().prefix(20) {
                let id = try await api.paper(["raw": .string(try certificates.code(name))], of: ana)
                #expect(try await api.share(id, of: ana, with: [store]).status == 200)
            }
            _ = try await api.call("PATCH", "/v1/me", ["wants": ["eu_dcc"]], as: store.token)
            let asked =
                Array(repeating: ("/v1/partners", store), count: 24)
                + Array(repeating: ("/v1/me/credentials", ana), count: 24)
            let statuses = try await together(asked) { path, person in
                try await api.get(path, as: person.token).status
            }
            #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
        }
    }

    @Test func `what nobody asks for is not decoded`() async throws {
        let certificates = try await Certificates.made()
        let certificate = Credential(raw: try certificates.code("vaccination"), stated: nil)
        let licence = Credential(raw: "B", stated: .init(kind: .licence, title: "B", until: nil))
        for (credential, kind) in [(certificate, PaperKind.healthCertificate), (licence, .licence)] {
            for asked in PaperKind.allCases {
                let meaning = Meaning(credential, .usual, at: .now, of: [asked])
                #expect((meaning != nil) == (asked == kind), "\(asked)")
            }
        }
    }

    @Test func `no code is believed what it says of its size, and what they cost is told`() async throws {
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
