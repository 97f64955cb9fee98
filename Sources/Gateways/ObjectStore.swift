import Curl
import EventLoop

/// A store of objects that speaks S3: Amazon's, or one of one's own.
public final class ObjectStore: Sendable {
    private let settings: Settings
    private let pool: BlockingPool
    private let idle = Locked<[Idle]>([])

    /// Where it is.
    public struct Place: Sendable {
        public let bucket, endpoint, region: String

        /// Reads `s3://BUCKET?endpoint=URL&region=NAME`; nil if it is something else.
        public init?(_ text: String) {
            let form = #/s3://([a-z0-9][a-z0-9.-]{2,62})\?endpoint=(https?://[^/?&=#@]+)/?&region=([a-z0-9-]+)/#
            guard let parts = text.wholeMatch(of: form)?.output else { return nil }
            (bucket, endpoint, region) = (String(parts.1), String(parts.2), String(parts.3))
        }

        /// Whether nobody on the way reads what is sent.
        public var isSecure: Bool { endpoint.hasPrefix("https:") }
    }

    /// What one needs to know to use it.
    public struct Settings: Sendable {
        let place: Place
        let login: (user: String, password: String)
        let certificates: String?

        /// The store at that place, as whoever signs in so; it is trusted by that file of certificates, besides the system's.
        public init(_ place: Place, login: (user: String, password: String), trusting certificates: String?) {
            (self.place, self.login, self.certificates) = (place, login, certificates)
        }
    }

    /// Connections that nobody uses.
    ///
    /// Unchecked, because one thread at a time has them.
    private struct Idle: @unchecked Sendable {
        let transfers = Transfers<Void>()
    }

    /// Starts the threads that wait for it.
    public init(_ settings: Settings) throws {
        self.settings = settings
        pool = try BlockingPool(name: "pictures-away", threads: 4, waiting: 64)
    }

    /// Keeps an object.
    public func put(_ name: String, _ bytes: [UInt8], type: String) async throws {
        var transfer = transfer(name, bytes)
        transfer.method = "PUT"
        transfer.headers = [("Content-Type", type)]
        try expect([200], of: await perform(transfer))
    }

    /// Some bytes of an object; nil where it is not there.
    public func piece(_ name: String, _ range: Range<Int>) async throws -> [UInt8]? {
        var transfer = transfer(name, nil)
        transfer.headers = [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")]
        transfer.mostRead = range.count
        let reply = try await perform(transfer)
        if reply.error == nil, reply.status == 404 { return nil }
        try expect([206], of: reply)
        return reply.body
    }

    /// Removes an object, if it is there.
    public func remove(_ name: String) async throws {
        var transfer = transfer(name, nil)
        transfer.method = "DELETE"
        try expect([200, 204, 404], of: await perform(transfer))
    }

    private func transfer(_ name: String, _ body: [UInt8]?) -> Transfer {
        let place = settings.place
        var transfer = Transfer("\(place.endpoint)/\(place.bucket)/\(name)", body)
        (transfer.login, transfer.region, transfer.certificates) = (
            settings.login, place.region, settings.certificates
        )
        return transfer
    }

    private func perform(_ transfer: Transfer) async throws -> Transfer.Reply {
        try await pool.run { [idle] in
            let mine = idle.withLock { $0.popLast() } ?? Idle()
            defer { idle.withLock { $0.append(mine) } }
            return mine.transfers.perform(transfer)
        }
    }

    private func expect(_ statuses: Set<Int>, of reply: Transfer.Reply) throws {
        guard reply.error == nil, statuses.contains(reply.status) else {
            throw GatewayError("the store of pictures: \(reply.error ?? "it answers \(reply.status)")")
        }
    }
}
