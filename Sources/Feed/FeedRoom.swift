import API
import Domain
import EventLoop
import HTTP
import Postgres

/// Each account's feed: the events that concern it, in order, as pages or as a stream.
package struct FeedRoom<Subject: FeedSubject>: Room {
    let database: Database
    let tail: FeedTail
    let ear: Ear
    let authenticator: Authenticator
    let streams: Streams
    let news: any FeedNews

    package init(
        database: Database, tail: FeedTail, ear: Ear, authenticator: Authenticator, streams: Streams,
        news: any FeedNews
    ) {
        (self.database, self.tail, self.ear, self.authenticator, self.streams, self.news) = (
            database, tail, ear, authenticator, streams, news
        )
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/events", for: .signedIn,
                "The events that concern the account, oldest first; with Accept: text/event-stream, as a stream",
                room: "Events", query: Self.parameters, answers: [.ok(Self.page).orStream(goesOn: true)],
                refuses: [.cursorExpired],
                deadline: .seconds(Self.waits.upperBound + 15), handler: read)
        ]
    }

    private static var waits: ClosedRange<Int> { 0...30 }
    /// How often a silent stream shows that it lives.
    private static var heartbeat: Duration { Duration.seconds(15) }

    private static var parameters: [Endpoint.Parameter] {
        [
            Endpoint.Parameter(
                name: "after", shape: .string(most: 64),
                what: "The cursor of the last event that was seen, or `now` (default: from the oldest event kept).",
                check: check),
            Endpoint.Parameter(name: "cursor", shape: .string(most: 64), what: "The same as `after`.", check: check),
            Endpoint.Parameter(
                name: "limit", shape: .integer(Page.limits), what: "How many events at most (default: 50)."),
            Endpoint.Parameter(
                name: "wait_seconds", shape: .integer(waits), what: "How long to wait for the first one (default: 0)."),
        ]
    }
    private static var page: Shape {
        .object(
            "EventPage",
            [
                .init("items", .array(FeedItem<Subject>.shape, most: 200)),
                .init("next_cursor", Shape.string().orNull),
            ])
    }

    private func read(_ call: Call) async throws -> Response {
        let account = call.caller.account
        let isStream = call.request.wantsEventStream
        let asked = call.request.query("after") ?? call.request.query("cursor")
        let text = isStream ? call.request.header("last-event-id") ?? asked : asked
        let after = try await place(text, in: account)
        let limit = try call.request.query("limit", in: Page.limits) ?? 50
        if isStream { return try await stream(call, from: after, isFromNow: text == "now") }
        let seconds = try call.request.query("wait_seconds", in: Self.waits) ?? 0
        let items = try await events(for: call, after: after, limit: limit, waiting: .seconds(seconds))
        return Self.response(items, limit: limit, for: account, next: text == "now" ? after : nil)
    }

    @Sendable private static func check(_ cursor: String) throws(InvalidValue) {
        guard ["", "now"].contains(cursor) || FeedPlace(cursor) != nil || FormerCursor(cursor) != nil else {
            throw InvalidValue("invalid_cursor")
        }
    }

    /// The place to begin at: behind an event, at the end, or nil for the beginning of what is kept.
    private func place(_ cursor: String?, in account: ID) async throws -> FeedPlace? {
        guard let cursor, !cursor.isEmpty else { return nil }
        if cursor == "now" { return try await database.run(FindFeedEnd(account: account)).first ?? .beginning }
        if let place = FeedPlace(cursor) { return place }
        guard let former = FormerCursor(cursor) else {
            throw Problem(
                .unprocessable, "validation_failed", fields: [Problem.WrongField("after", "invalid_cursor")])
        }
        guard let place = try await database.run(FindFormerPlace(account: account, cursor: former)).first else {
            throw Problem.cursorExpired
        }
        return place ?? .beginning
    }

    /// The next events. The call is refused if some of them were dropped, since the feed would have a gap.
    private func next(of account: ID, after place: FeedPlace?, limit: Int) async throws -> [FeedItem<Subject>] {
        let read = ReadFeed<Subject>(account: account, after: place ?? .beginning, limit: Int32(limit))
        var items = try await database.run(read)
        guard let place else { return try await told(items, to: account) }
        if items.isEmpty, place.numberedAt < Self.longAgo,
            let end = try await database.run(FindFeedEnd(account: account)).first, end.number > place.number
        {
            // Either an event came just now, or some were dropped.
            items = try await database.run(read)
            guard !items.isEmpty else { throw Problem.cursorExpired }
        }
        if let first = items.first, first.place.number > place.number + 1 { throw Problem.cursorExpired }
        return try await told(items, to: account)
    }

    /// The same events with what their data is about now.
    private func told(_ items: [FeedItem<Subject>], to account: ID) async throws -> [FeedItem<Subject>] {
        let places = items.indices.filter { news.types.contains(items[$0].type) }
        guard !places.isEmpty else { return items }
        let data = places.map { place in items[place].data.flatMap { JSON($0.utf8) } ?? .null }
        var items = items
        for (place, told) in zip(places, try await news.tell(data, to: account)) {
            if let told { items[place].data = told }
        }
        return items
    }

    /// Nothing younger than this is ever dropped.
    private static var longAgo: Timestamp { Timestamp(microseconds: Timestamp.now.microseconds - 86_400_000_000) }

    private func events(
        for call: Call, after place: FeedPlace?, limit: Int, waiting: Duration
    ) async throws -> [FeedItem<Subject>] {
        let account = call.caller.account
        guard waiting > .zero else { return try await next(of: account, after: place, limit: limit + 1) }
        let deadline = Instant.now + waiting
        let listener = tail.listen(to: account)
        defer { listener.close() }
        var seat: Seats.Seat?
        defer { withExtendedLifetime(seat) {} }
        while true {
            let items = try await next(of: account, after: place, limit: limit + 1)
            guard items.isEmpty, !listener.isOver, case let now = Instant.now, now < deadline else { return items }
            // Who waits takes the place of a stream.
            if seat == nil { seat = try await streams.enter(call.caller.session) }
            let mayHaveMore = try await self.mayHaveMore(
                listener, within: .nanoseconds(deadline.nanoseconds(since: now)))
            // A server that stops asks no more.
            guard mayHaveMore, !listener.isOver else { return items }
            // Nobody reads on after the session has ended.
            guard try await isSignedIn(account, call.request) else { throw Problem.unauthenticated }
        }
    }

    /// Waits until there may be news: either there was word of some, or it is not certain that there would have been.
    private func mayHaveMore(_ listener: Listener<AccountMark>, within bound: Duration) async throws -> Bool {
        let time = ear.isDeaf ? min(bound, .seconds(1)) : bound
        return try await listener.wait(atMost: time) || ear.mark == nil
    }

    private static func response(
        _ fetched: [FeedItem<Subject>], limit: Int, for account: ID, next: FeedPlace?
    ) -> Response {
        let items = fetched.prefix(limit)
        let end = fetched.count > limit ? items.last?.place : items.isEmpty ? next : nil
        var json = JSONWriter()
        json.object { json in
            json.array("items", items) { json, item in json.object { item.write(&$0, for: account) } }
            json.field("next_cursor", end?.cursor)
        }
        return .json(json.bytes)
    }

    // MARK: Streams

    private func stream(_ call: Call, from start: FeedPlace?, isFromNow: Bool) async throws -> Response {
        let account = call.caller.account
        let place = try await streams.enter(call.caller.session)
        // An expired cursor can be refused only before the stream begins.
        _ = try await next(of: account, after: start, limit: 1)
        let request = call.request
        return Response(
            .ok, headers: [Response.Header("X-Accel-Buffering", "no")],
            body: .stream(type: "text/event-stream") { writer in
                try await follow(account, from: start, isFromNow: isFromNow, request, writer)
                withExtendedLifetime(place) {}
            })
    }

    private func follow(
        _ account: ID, from start: FeedPlace?, isFromNow: Bool, _ request: Request, _ writer: BodyWriter
    ) async throws {
        let listener = tail.listen(to: account)
        defer { listener.close() }
        // The greeting says how soon to reconnect, and where a client that begins now has begun.
        let greeting = isFromNow ? "id: \((start ?? .beginning).cursor)" : ": welcome"
        try await writer.write(Array("retry: 1000\n\(greeting)\n\n".utf8))
        do {
            try await follow(account, listener, from: start, request, writer)
        } catch is CancellationError where listener.isOver {
            // The server stops. The stream ends properly, so that its client reconnects.
        }
        if listener.isOver { await writer.hintToReconnect() }
    }

    private func follow(
        _ account: ID, _ listener: Listener<AccountMark>, from start: FeedPlace?, _ request: Request,
        _ writer: BodyWriter
    ) async throws {
        var (place, silentSince, mayHaveMore) = (start, Instant.now, true)
        // Nobody reads on after the session has ended, or while the server stops.
        while !listener.isOver, try await isSignedIn(account, request) {
            let items = mayHaveMore ? try await next(of: account, after: place, limit: 50) : []
            if let last = items.last {
                try await writer.write(items.reduce(into: []) { $0 += Self.lines(of: $1, for: account) })
                (place, silentSince) = (last.place, .now)
                continue
            }
            // This is an event and not a comment, so that scripts in browsers notice that the connection stands.
            if Instant.now >= silentSince + Self.heartbeat {
                try await writer.write(Array("event: alive\ndata: {}\n\n".utf8))
                silentSince = .now
            }
            mayHaveMore = try await self.mayHaveMore(listener, within: Self.heartbeat)
        }
    }

    private func isSignedIn(_ account: ID, _ request: Request) async throws -> Bool {
        try await authenticator.caller(of: request)?.account == account
    }

    private static func lines(of item: FeedItem<Subject>, for account: ID) -> [UInt8] {
        var json = JSONWriter()
        json.object { item.write(&$0, for: account) }
        return Array("id: \(item.place.cursor)\nevent: \(item.type)\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }
}

extension Request {
    /// Whether `Accept` names a stream of events, and prefers it to JSON.
    package var wantsEventStream: Bool { prefersToJSON("text/event-stream") }
}

extension Problem {
    static let cursorExpired = Problem(.gone, "gone", wording: "cursor_expired")
}
