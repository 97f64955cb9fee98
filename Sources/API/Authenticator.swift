import Crypto
import Domain
import EventLoop
import HTTP
import Postgres

/// Knows whose session a token is.
///
/// What it learnt it remembers as long as nobody in the database says that the session has ended, and as long as it is
/// sure to hear that: see ``Ear``.
package final class Authenticator: Sendable {
    private let database: Database
    private let memory: SessionMemory
    private let ear: Ear

    /// Looks sessions up in that database.
    package init(_ database: Database, _ memory: SessionMemory, _ ear: Ear) {
        self.database = database
        self.memory = memory
        self.ear = ear
    }

    /// Whose request it is; nil when it names nobody.
    package func caller(of request: Request) async throws -> Caller? {
        guard let token = try Self.token(of: request) else { return nil }
        let hash = TokenHash(token)
        let (memory, mark, now) = (memory.ofThisLoop, ear.mark, Instant.now)
        if let mark, let caller = memory?.recall(hash, heard: mark, at: now) { return caller }
        let epoch = memory?.epoch
        guard let found = try await database.run(FindSession(tokenHash: hash.bytes)).first else { return nil }
        if found.isStale { try await database.run(TouchSession(id: found.caller.session)) }
        if let mark, memory?.epoch == epoch { memory?.remember(hash, found.caller, heard: mark, at: now) }
        return found.caller
    }

    /// Forgets what was known of an account's sessions here; to be called when what changes them is committed, and
    /// before that is told to anybody.
    package func forget(_ account: ID) async {
        await memory.forget(account)
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
package struct TokenHash: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ token: String) { bytes = SHA256.hash(token) }
}
