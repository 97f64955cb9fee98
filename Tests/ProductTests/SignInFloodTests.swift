import EventLoop
import HTTP
import TestSupport
import Testing

/// Very many sign-ins: each address and each account has its bound, and nobody else waits for them.
@Suite(.database) struct SignInFloodTests {
    private func signIn(
        _ api: ServedProduct, _ email: String, _ password: String, from address: String
    ) async throws -> Answer {
        try await api.post(
            "/v1/sessions", ["email": .string(email), "password": .string(password)],
            headers: ["X-Forwarded-For": address])
    }

    private func wrong(_ api: ServedProduct, _ email: String, from address: String) async throws -> Answer {
        try await signIn(api, email, "nije-ova-lozinka", from: address)
    }

    private func nobody(_ number: Int) -> String { "nobody\(number)@example.com" }

    // MARK: Whose turn it is

    /// Signs in again and again while two hundred others try without end, which is more than can be hashed in three
    /// seconds. Whoever has its turn before them is served each time; a machine that is slow may need a few tries.
    private func amidAFlood(
        _ api: ServedProduct, from address: @escaping @Sendable (Int) -> String, _ signIn: () async throws -> Answer
    ) async throws {
        let (isOver, statuses) = (Locked(false), Locked<[Int: Int]>([:]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { isOver.withLock { $0 = true } }
            for number in 0..<200 {
                group.addTask {
                    while !isOver.withLock({ $0 }) {
                        let answer = try await wrong(api, nobody(number), from: address(number))
                        #expect(answer.status == 401 || answer.reply.header("retry-after") != nil)
                        statuses.withLock { $0[answer.status, default: 0] += 1 }
                    }
                }
            }
            try await eventually { statuses.withLock { $0[503] != nil || $0[401, default: 0] > 400 } }
            var (inARow, tries) = (0, 0)
            while inARow < 8, tries < 80 {
                let answer = try await signIn()
                #expect(answer.status == 201 || answer.status == 503, "\(answer.json)")
                inARow = answer.status == 201 ? inARow + 1 : 0
                tries += 1
            }
            #expect(inARow == 8, "after \(tries) tries")
            isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        #expect(statuses.withLock { Set($0.keys) }.isSubset(of: [401, 503]))
    }

    @Test func `what one address asks for keeps no other waiting`() async throws {
        try await ServedProduct.serving(hashingThreads: 1) { api in
            let store = try await api.registerStore()
            try await amidAFlood(api, from: { _ in "192.0.2.7" }) {
                try await signIn(api, store.login, SamplePeople.password, from: "198.51.100.9")
            }
        }
    }

    @Test func `who has been there before comes before very many addresses of strangers`() async throws {
        try await ServedProduct.serving(hashingThreads: 1) { api in
            let store = try await api.registerStore()
            try await amidAFlood(api, from: { "10.1.\($0 / 200).\($0 % 200 + 1)" }) {
                try await api.signIn(store.login)
            }
        }
    }

    // MARK: Bounds

    /// It costs as much to look at as a wrong one.
    @Test func `an account's right password is looked at twenty times, and then once a minute`() async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            let store = try await api.registerStore()
            let form: JSON = ["email": .string(store.login), "current_password": .string(SamplePeople.password)]
            var statuses: [Int] = []
            while statuses.count < 60, statuses.last != 429 {
                statuses.append(try await api.call("PUT", "/v1/me/email", form, as: store.token).status)
            }
            #expect(statuses.count > 20 && statuses.last == 429)
            #expect(statuses.dropLast().allSatisfy { $0 == 200 })
        }
    }

    /// What is over the bound is not hashed. An address regains a try after ten seconds, so all are made at once.
    @Test(arguments: [false, true])
    func `an address has fifty tries at once, at whichever accounts, and others have theirs`(
        isOfVersion6: Bool
    ) async throws {
        try await ServedProduct.serving(looseness: 1) { api in
            // A network of version 6 is one address.
            let answers = try await together(Array(0..<60)) { number in
                let address = isOfVersion6 ? "2001:db8::\(number + 1)" : "192.0.2.7"
                return try await wrong(api, nobody(number), from: address)
            }
            #expect((5...10).contains(answers.count { $0.status == 429 }))
            #expect(answers.allSatisfy { $0.status != 429 || $0.reply.header("retry-after") != nil })
            let other = isOfVersion6 ? "2001:db8:0:1::1" : "192.0.2.8"
            #expect(try await wrong(api, nobody(0), from: other).status == 401)
        }
    }

    @Test func `an account has forty tries of strangers, eight of each, and its own people are not held up`()
        async throws
    {
        try await ServedProduct.serving(looseness: 1) { api in
            let store = try await api.registerStore()
            let tries = (1...6).flatMap { address in (0..<9).map { _ in "192.0.2.\(address)" } }
            let answers = try await together(tries) { try await wrong(api, store.login, from: $0) }
            // Six are refused for their address and eight for the account, but for those that are regained meanwhile.
            #expect((8...14).contains(answers.count { $0.status == 429 }))
            // So is the right password, once nothing is regained.
            var last = 0
            for number in 10..<40 where last != 429 {
                last = try await signIn(api, store.login, SamplePeople.password, from: "192.0.2.\(number)").status
            }
            #expect(last == 429)
            #expect(try await api.signIn(store.login).status == 201)
            #expect(try await wrong(api, nobody(1), from: "192.0.2.1").status == 401)
        }
    }
}
