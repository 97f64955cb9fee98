import Crypto
import Domain
import EventLoop
import HTTP
import Postgres

/// Knows whose session a token is.
///
/// Each loop remembers what it learnt for less than a second, so that a session that ends on another node ends here
/// too; one that ends on this node is forgotten at once, on every loop.
public final class Authenticator: Sendable {
    private let database: Database
    private let memories: LoopLocal<SessionMemory>

    /// Looks sessions up in that database.
    public init(_ database: Database, on group: EventLoopGroup) async throws {
        self.database = database
        memories = try await LoopLocal(group) { _ in SessionMemory() }
    }

    /// Whose request it is; nil when it names nobody.
    func caller(of request: Request) async throws -> Caller? {
        guard let token = try Self.token(of: request) else { return nil }
        let hash = TokenHash(token)
        let memory = memories.current
        let now = Instant.now
        if let caller = memory?.recall(hash, at: now) { return caller }
        let epoch = memory?.epoch
        guard let found = try await database.run(FindSession(tokenHash: hash.bytes)).first else { return nil }
        if found.isStale { try await database.run(TouchSession(id: found.caller.session)) }
        if memory?.epoch == epoch { memory?.remember(hash, found.caller, until: now + SessionMemory.span) }
        return found.caller
    }

    /// Forgets what was known of an account's sessions; to be called when what changes them is committed, and before
    /// that is told to anybody.
    func forget(_ account: ID) async {
        await memories.onEach { $0.forget(account) }
    }

    private static func token(of request: Request) throws -> String? {
        if let authorization = request.header("authorization") {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return String(parts[1].drop { $0 == " " })
        }
        guard let token = request.cookie(SessionCookie.name) else { return nil }
        try refuseCrossSite(request)
        return token
    }

    /// A browser sends the cookie along whoever asks it to: what changes something must come from our own pages, as
    /// the browser itself says, or with a header that it lets no other site send unasked.
    private static func refuseCrossSite(_ request: Request) throws {
        guard request.method != "GET", request.method != "HEAD" else { return }
        let isOwn = request.header("sec-fetch-site").map { $0 == "same-origin" } ?? isFromOwnOrigin(request)
        guard isOwn || request.header("x-requested-with") != nil else {
            throw Problem(.forbidden, "forbidden", wording: "cross_site")
        }
    }

    /// What browsers say that do not know of `Sec-Fetch-Site`.
    private static func isFromOwnOrigin(_ request: Request) -> Bool {
        guard let origin = request.header("origin"), let host = request.header("host") else { return false }
        return origin == "https://\(host)" || origin == "http://\(host)"
    }
}

/// The SHA-256 of a session's token, which is all that is kept of it.
struct TokenHash: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ token: String) { bytes = SHA256.hash(token) }
}

/// What one loop knows of sessions for a moment.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class SessionMemory: @unchecked Sendable {
    /// Less than a second, for that is how soon a session must be over on every node.
    static let span = Duration.milliseconds(800)
    private static let most = 10_000

    /// Moves whenever something is forgotten: what was looked up before may be outdated.
    private(set) var epoch = 0
    private var known: [TokenHash: (caller: Caller, until: Instant)] = [:]

    func recall(_ hash: TokenHash, at now: Instant) -> Caller? {
        guard let (caller, until) = known[hash], now < until else { return nil }
        return caller
    }

    func remember(_ hash: TokenHash, _ caller: Caller, until end: Instant) {
        if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
        known[hash] = (caller, end)
    }

    func forget(_ account: ID) {
        epoch += 1
        known = known.filter { $0.value.caller.account != account }
    }
}
