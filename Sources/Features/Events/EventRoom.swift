import Domain
import EventLoop
import HTTP
import Postgres

/// Each account's feed: what has happened that concerns it, in its order, to be asked for or streamed.
public struct EventRoom: Room {
    let database: Database
    let tail: FeedTail
    let authenticator: Authenticator
    let streams: StreamCount

    public var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/events", for: .signedIn,
                "What has happened that concerns the account, oldest first; as a stream with Accept: text/event-stream",
                room: "Events", query: Self.parameters, answers: [.ok(Self.page)], refuses: [.cursorExpired],
                deadline: .seconds(Self.waits.upperBound + 15), handler: read)
        ]
    }

    private static let waits = 0...30
    /// How often a silent stream says that it lives.
    private static let heartbeat = Duration.seconds(15)

    private static let parameters = [
        Endpoint.Parameter(
            name: "after", shape: .string(most: 64),
            what: "The cursor of the last event that was seen, or `now`; from the oldest that is kept without it."),
        Endpoint.Parameter(name: "cursor", shape: .string(most: 64), what: "The same as after."),
        Endpoint.Parameter(
            name: "limit", shape: .integer(Page.limits), what: "How many events at most (50)."),
        Endpoint.Parameter(
            name: "wait_seconds", shape: .integer(waits), what: "How long to wait for the first one (0)."),
    ]
    private static let page = Shape.object(
        "EventPage",
        [.init("items", .array(FeedItem.shape, most: 200)), .init("next_cursor", Shape.string().orNull)])

    private func read(_ call: Call) async throws -> Response {
        let isStream = call.request.wantsEventStream
        let asked = call.request.query("after") ?? call.request.query("cursor")
        let text = isStream ? call.request.header("last-event-id") ?? asked : asked
        let after = try await position(text)
        let limit = try call.request.query("limit", in: Page.limits) ?? 50
        if isStream { return try stream(call, from: after, isFromNow: text == "now") }
        let seconds = try call.request.query("wait_seconds", in: Self.waits) ?? 0
        let items = try await events(of: call.caller.account, after: after, limit: limit, waiting: .seconds(seconds))
        return Self.response(items, limit: limit, for: call.caller.account, next: text == "now" ? after : nil)
    }

    /// Where to begin; an old place of which later events may be gone is refused, since the feed would have a gap.
    private func position(_ text: String?) async throws -> FeedPosition {
        guard let text, !text.isEmpty else { return .beginning }
        guard let ends = try await database.run(FindFeedEnds()).first else { throw Problem.unavailable() }
        if text == "now" { return FeedPosition(xact: ends.end, id: 0) }
        guard let position = FeedPosition(text) else {
            throw Problem(
                .unprocessable, "validation_failed", fields: [Problem.WrongField("after", "invalid_cursor")])
        }
        guard position.xact >= ends.gone else { throw Problem.cursorExpired }
        return position
    }

    private func events(
        of account: ID, after: FeedPosition, limit: Int, waiting: Duration
    ) async throws -> [FeedItem] {
        let read = ReadFeed(account: account, after: after, limit: Int32(limit + 1))
        let deadline = Instant.now + waiting
        var items = try await database.run(read)
        guard items.isEmpty, waiting > .zero else { return items }
        let listener = tail.listen(to: account)
        defer { listener.close() }
        while items.isEmpty, !listener.isOver, case let now = Instant.now, now < deadline {
            items = try await database.run(read)
            if items.isEmpty { try await listener.wait(atMost: .nanoseconds(deadline.nanoseconds(since: now))) }
        }
        return items.isEmpty ? try await database.run(read) : items
    }

    private static func response(
        _ fetched: [FeedItem], limit: Int, for account: ID, next: FeedPosition?
    ) -> Response {
        let items = fetched.prefix(limit)
        let end = fetched.count > limit ? items.last?.position : items.isEmpty ? next : nil
        var json = JSONWriter()
        json.object { json in
            json.array("items", items) { json, item in json.object { item.write(&$0, for: account) } }
            json.field("next_cursor", end?.cursor)
        }
        return .json(json.bytes)
    }

    // MARK: Streams

    private func stream(_ call: Call, from start: FeedPosition, isFromNow: Bool) throws -> Response {
        let account = call.caller.account
        let place = try streams.enter(account)
        let request = call.request
        return Response(
            .ok, headers: [Response.Header("X-Accel-Buffering", "no")],
            body: .stream(type: "text/event-stream") { writer in
                try await follow(account, from: start, isFromNow: isFromNow, request, writer)
                withExtendedLifetime(place) {}
            })
    }

    private func follow(
        _ account: ID, from start: FeedPosition, isFromNow: Bool, _ request: Request, _ writer: BodyWriter
    ) async throws {
        let listener = tail.listen(to: account)
        defer { listener.close() }
        // How soon to come again after the end, and where whoever begins now has begun.
        try await writer.write(Array("retry: 1000\n\(isFromNow ? "id: \(start.cursor)" : ": welcome")\n\n".utf8))
        do {
            try await follow(listener, from: start, request, writer)
        } catch is CancellationError where listener.isOver {
            // The server stops: the stream ends in good order, so that its client comes again.
        }
    }

    private func follow(
        _ listener: Listener<ID>, from start: FeedPosition, _ request: Request, _ writer: BodyWriter
    ) async throws {
        let account = listener.subject
        var position = start
        // A session that has ended reads no more, and neither does anybody while the server stops.
        while !listener.isOver, try await authenticator.caller(of: request)?.account == account {
            let items = try await database.run(ReadFeed(account: account, after: position, limit: 50))
            if let last = items.last {
                try await writer.write(items.reduce(into: []) { $0 += Self.lines(of: $1, for: account) })
                position = last.position
            } else {
                let silentSince = Instant.now
                try await listener.wait(atMost: Self.heartbeat)
                // An event, and no comment, so that scripts in browsers hear that the connection stands.
                if Instant.now >= silentSince + Self.heartbeat {
                    try await writer.write(Array("event: alive\ndata: {}\n\n".utf8))
                }
            }
        }
    }

    private static func lines(of item: FeedItem, for account: ID) -> [UInt8] {
        var json = JSONWriter()
        json.object { item.write(&$0, for: account) }
        return Array("id: \(item.position.cursor)\nevent: \(item.type)\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }
}

/// How many streams each account has open on this node.
final class StreamCount: Sendable {
    private static let most = 8
    private let open: Locked<[ID: Int]> = Locked([:])

    /// A stream's place, given back when it is let go.
    final class Place: Sendable {
        private let count: StreamCount
        private let account: ID

        fileprivate init(_ count: StreamCount, _ account: ID) {
            self.count = count
            self.account = account
        }

        deinit { count.leave(account) }
    }

    func enter(_ account: ID) throws -> Place {
        let isAdmitted = open.withLock { open in
            guard open[account, default: 0] < Self.most else { return false }
            open[account, default: 0] += 1
            return true
        }
        guard isAdmitted else {
            throw Problem(
                .tooManyRequests, "rate_limited", wording: "too_many_streams",
                headers: [Response.Header("Retry-After", "5")])
        }
        return Place(self, account)
    }

    private func leave(_ account: ID) {
        open.withLock { $0[account] = $0[account] == 1 ? nil : ($0[account] ?? 1) - 1 }
    }
}

extension Request {
    /// Whether `Accept` names a stream of events, and prefers it to JSON.
    fileprivate var wantsEventStream: Bool {
        var best: (type: Substring, quality: Double)?
        for range in (headerList("accept") ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let type = parts.first.map({ Substring($0.lowercased()) }) else { continue }
            guard ["text/event-stream", "application/json"].contains(type) else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if quality > best?.quality ?? 0 { best = (type, quality) }
        }
        return best?.type == "text/event-stream"
    }
}

extension Problem {
    static let cursorExpired = Problem(.gone, "gone", wording: "cursor_expired")
}
