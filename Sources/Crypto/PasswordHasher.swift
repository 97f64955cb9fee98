import COpenSSL
import EventLoop

/// Hashes passwords by scrypt on its own threads, which give way to everything else.
public final class PasswordHasher: Sendable {
    private let pool: BlockingPool
    private let turns: HashingLine

    /// Who asks. Whoever is signed in, or asks from where the account has signed in before, comes first.
    public struct Turn: Sendable {
        let network: String
        let isKnown: Bool

        /// From a network, and known to the account or not.
        public init(network: String, isKnown: Bool) { (self.network, self.isKnown) = (network, isKnown) }

        /// The product itself.
        public static let own = Turn(network: "", isKnown: true)
    }

    /// It would take longer than anybody should wait.
    public struct Busy: Error {
        public let seconds: Double
    }

    /// Starts the threads. A password that could not be hashed with so much `patience` is refused at once, as ``Busy``.
    public init(threads: Int, patience: Duration = .seconds(3)) throws {
        turns = HashingLine(places: threads, patience: patience / .seconds(1))
        pool = try BlockingPool(name: "scrypt", threads: threads, waiting: threads, priority: .background)
    }

    /// The text to keep of a password, with a random salt unless one is given.
    public func hash(
        _ password: String, salt: [UInt8] = SecureRandom.bytes(16), in turn: Turn = .own
    ) async throws -> String {
        try await turns.take(turn) {
            try await pool.run { PasswordHash(of: password, salt: salt, cost: .usual).text }
        }
    }

    /// Whether a password is the one that was kept. If none is kept, saying no takes just as long.
    public func verify(_ password: String, against stored: String?, in turn: Turn = .own) async throws -> Bool {
        let kept = stored.flatMap(PasswordHash.init(text:))
        let reference = kept ?? PasswordHash.none
        return try await turns.take(turn) {
            try await pool.run {
                let given = PasswordHash(of: password, salt: reference.salt, cost: reference.cost)
                return constantTimeEquals(given.hash, reference.hash) && kept != nil
            }
        }
    }

    /// The place of the kept text that a password belongs to; nil when it belongs to none. Texts of one salt cost one hash
    /// together, and those of further salts than two are not looked at.
    public func match(_ password: String, among stored: [String], in turn: Turn = .own) async throws -> Int? {
        let kept = stored.enumerated().compactMap { place, text in PasswordHash(text: text).map { (place, $0) } }
        var references: [PasswordHash] = []
        for (_, hash) in kept where references.count < 2 && !references.contains(where: hash.isMadeLike) {
            references.append(hash)
        }
        if references.isEmpty { references = [.none] }
        let all = references
        return try await turns.take(turn) {
            try await pool.run {
                let given = all.map { PasswordHash(of: password, salt: $0.salt, cost: $0.cost) }
                return kept.first { _, hash in
                    given.contains { hash.isMadeLike($0) && constantTimeEquals($0.hash, hash.hash) }
                }?.0
            }
        }
    }

    /// Finishes the work that was accepted, and ends the threads.
    public func stop() { pool.stop() }
}

/// A password's hash with the parameters to make it again: `$scrypt$ln=14,r=8,p=5$SALT$HASH`.
struct PasswordHash: Sendable {
    let cost: Cost
    let salt: [UInt8]
    let hash: [UInt8]

    /// What scrypt costs in memory and time.
    struct Cost: Sendable, Equatable {
        let logN: Int
        let r: Int
        let p: Int

        /// One of the settings that OWASP lists as equally strong; this one takes 16 MiB and not 128.
        static let strong = Cost(logN: 14, r: 8, p: 5)

        /// What new hashes cost. A debug build is for tests, which hash thousands of passwords and wait for each.
        #if DEBUG
            static let usual = Cost(logN: 14, r: 8, p: 1)
        #else
            static let usual = strong
        #endif

        /// Bounds what a row may ask for, so that nobody who can edit the database makes us allocate without limit.
        var isSane: Bool { (10...17).contains(logN) && (1...16).contains(r) && (1...16).contains(p) }
    }

    /// Stands in where there is no hash. No password has it.
    static let none = PasswordHash(
        cost: .usual, salt: [UInt8](repeating: 0, count: 16), hash: [UInt8](repeating: 0, count: 32))

    private init(cost: Cost, salt: [UInt8], hash: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }

    init(of password: String, salt: [UInt8], cost: Cost, length: Int = 32) {
        self.cost = cost
        self.salt = salt
        let text = Array(password.utf8)
        hash = [UInt8](unsafeUninitializedCapacity: length) { hash, count in
            let made = text.withUnsafeBytes { text in
                EVP_PBE_scrypt(
                    text.baseAddress, text.count, salt, salt.count, 1 << UInt64(cost.logN), UInt64(cost.r),
                    UInt64(cost.p), 256 << 20, hash.baseAddress, length)
            }
            precondition(made == 1, "scrypt has no memory")
            count = length
        }
    }

    /// Whether the same password has the same hash there.
    func isMadeLike(_ other: PasswordHash) -> Bool { salt == other.salt && cost == other.cost }

    /// Nil for a text that is not of that form, or asks for too much.
    init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let salt = Base64URL.decode(String(parts[3])),
            let hash = Base64URL.decode(String(parts[4])), hash.count == 32, !salt.isEmpty
        else { return nil }
        let numbers = parts[2].split(separator: ",").map { $0.split(separator: "=") }
        guard numbers.count == 3, numbers.map(\.first) == ["ln", "r", "p"],
            let logN = numbers[0].last.flatMap({ Int($0) }), let r = numbers[1].last.flatMap({ Int($0) }),
            let p = numbers[2].last.flatMap({ Int($0) })
        else { return nil }
        let cost = Cost(logN: logN, r: r, p: p)
        guard cost.isSane else { return nil }
        self.init(cost: cost, salt: salt, hash: hash)
        guard self.text == text else { return nil }
    }

    var text: String {
        "$scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))"
    }
}
