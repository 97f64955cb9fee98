import EventLoop
import Testing

@testable import Crypto

/// Hashing passwords within bounds, on threads of its own.
@Suite struct PasswordHasherTests {
    private func withHasher<Answer>(
        threads: Int = 1, patience: Duration = .seconds(60), _ body: (PasswordHasher) async throws -> Answer
    ) async throws -> Answer {
        let hasher = try PasswordHasher(threads: threads, patience: patience)
        do {
            let answer = try await body(hasher)
            hasher.stop()
            return answer
        } catch {
            hasher.stop()
            throw error
        }
    }

    /// RFC 7914, section 12, the second vector that fits the bounds.
    @Test func `a hash of a password is that of scrypt`() {
        let hash = PasswordHash(
            of: "pleaseletmein", salt: Array("SodiumChloride".utf8), cost: .init(logN: 14, r: 8, p: 1), length: 64)
        let expected: [UInt8] = [
            0x70, 0x23, 0xbd, 0xcb, 0x3a, 0xfd, 0x73, 0x48, 0x46, 0x1c, 0x06, 0xcd, 0x81, 0xfd, 0x38, 0xeb,
        ]
        #expect(Array(hash.hash.prefix(16)) == expected)
    }

    @Test func `a hasher knows a password again`() async throws {
        try await withHasher { hasher in
            let stored = try await hasher.hash("žuta biciklistička")
            // A debug build's is cheaper by the passes; those of what is served have a test among those of deploying.
            #expect(stored.hasPrefix("$scrypt$ln=14,r=8,p=\(PasswordHash.Cost.usual.p)$") && !stored.contains("bicikl"))
            #expect(PasswordHash.Cost.strong == .init(logN: 14, r: 8, p: 5))
            #expect(try await hasher.verify("žuta biciklistička", against: stored))
            #expect(try await !hasher.verify("žuta biciklistička ", against: stored))
            #expect(try await hasher.hash("žuta biciklistička") != stored)
        }
    }

    @Test(arguments: [
        nil, "", "plain", "$scrypt$ln=14,r=8,p=5$AAAA", "$bcrypt$ln=14,r=8,p=5$AAAA$AAAA",
        "$scrypt$ln=30,r=8,p=5$AAAA$AAAA",
        "$scrypt$ln=14,r=8$AAAA$AAAA", "$scrypt$ln=x,r=8,p=5$AAAA$AAAA", "$scrypt$ln=14,r=8,p=5$!!$AAAA",
        "$scrypt$ln=14,r=8,p=5$AAAA$AAAA",
    ])
    func `no password fits a stored text that is no sound hash`(_ stored: String?) async throws {
        let isRight = try await withHasher { try await $0.verify("", against: stored) }
        #expect(!isRight)
    }

    @Test(arguments: [(9, 8, 5), (18, 8, 5), (14, 17, 5), (14, 8, 17), (14, 0, 5)])
    func `a stored hash cannot ask for too much work`(_ logN: Int, _ r: Int, _ p: Int) {
        let sound = String(repeating: "A", count: 43)
        #expect(PasswordHash(text: "$scrypt$ln=14,r=8,p=5$AAAA$\(sound)") != nil)
        #expect(PasswordHash(text: "$scrypt$ln=\(logN),r=\(r),p=\(p)$AAAA$\(sound)") == nil)
    }

    @Test(arguments: ["ln=+14,r=8,p=5", "ln=14,r=08,p=5", "ln=14=14,r=8,p=5", "ln=14,,r=8,p=5", "ln=14,r=8,p=5,"])
    func `a hash is kept in one spelling`(_ cost: String) {
        #expect(PasswordHash(text: "$scrypt$\(cost)$AAAA$\(String(repeating: "A", count: 43))") == nil)
    }

    @Test func `a hasher that is busy says so`() async throws {
        try await withHasher(threads: 1, patience: .zero) { hasher in
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            _ = try await hasher.hash("a password")
                            return true
                        } catch {
                            return !(error is PasswordHasher.Busy)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.contains(true) && outcomes.contains(false))
        }
    }
}
