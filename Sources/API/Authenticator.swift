import Crypto
import Domain
import EventLoop
import HTTP
import Postgres

/// Finds out whose session a token is.
///
/// It remembers the answer only while it is sure to hear from the database when the session ends: see ``Ear``.
package final class Authenticator: Sendable {
    private let database: Database
    private let memory: SessionMemory
    private let ear: Ear
    private let cookie: SessionCookie

    /// Looks sessions up in that database.
    package init(_ database: Database, _ memory: SessionMemory, _ ear: Ear, _ cookie: SessionCookie) {
        self.cookie = cookie
        self.database = database
        self.memory = memory
        self.ear = ear
    }

    /// The caller of a request; nil when it carries no token.
    package func caller(of request: Request) async throws -> Caller? {
        guard let token = try token(of: request) else { return nil }
        let hash = TokenHash(token)
        let (memory, mark, now) = (memory.ofThisLoop, ear.mark, Instant.now)
        if let mark, let caller = memory?.recall(hash, heard: mark, at: now) { return caller }
        let epoch = memory?.epoch
        guard let found = try await database.run(FindSession(tokenHash: hash.bytes)).first else { return nil }
        if found.isStale { try await database.run(TouchSession(id: found.caller.session)) }
        if let mark, memory?.epoch == epoch { memory?.remember(hash, found.caller, heard: mark, at: now) }
        return found.caller
    }

    /// Forgets what this node remembers of an account's sessions. Call it when a change to them is committed, and
    /// before anybody is told of the change.
    package func forget(_ account: ID) async {
        await memory.forget(account)
    }

    private func token(of request: Request) throws -> String? {
        if let authorization = try request.onlyHeader("authorization") {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return String(parts[1].drop { $0 == " " })
        }
        let tokens = request.cookies(cookie.name)
        guard let token = tokens.first else { return nil }
        // Somebody may have added one, and which of them is the browser's own cannot be told.
        guard tokens.count == 1 else { throw Problem(.badRequest, "bad_request", wording: "doubled_cookie") }
        try Self.refuseCrossSite(request)
        return token
    }

    /// A browser sends the cookie whichever site asks it to. So a request that changes something must come from our own
    /// pages, as the browser itself says, or carry a header that it lets no other site send unasked.
    private static func refuseCrossSite(_ request: Request) throws {
        guard request.method != "GET", request.method != "HEAD" else { return }
        let isOwn = request.header("sec-fetch-site").map { $0 == "same-origin" } ?? isFromOwnOrigin(request)
        guard isOwn || request.header("x-requested-with") != nil else {
            throw Problem(.forbidden, "forbidden", wording: "cross_site")
        }
    }

    /// Serves browsers that do not send `Sec-Fetch-Site`.
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
