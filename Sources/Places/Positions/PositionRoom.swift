import API
import Domain
import EventLoop
import Feed
import HTTP
import Postgres

/// Where couriers are: they say it, and stores that it concerns see it.
package struct PositionRoom: Room {
    let database: Database
    let intake: PositionIntake
    let tail: PositionTail
    let authenticator: Authenticator
    let streams: StreamCount
    /// By road, where there is a router.
    let ways: Ways?

    package init(
        database: Database, intake: PositionIntake, tail: PositionTail, authenticator: Authenticator,
        streams: StreamCount, ways: Ways?
    ) {
        (self.database, self.intake, self.tail, self.ways) = (database, intake, tail, ways)
        (self.authenticator, self.streams) = (authenticator, streams)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/me/positions", for: .courier,
                "Says where one is and was, oldest first, while one is on duty or carries something",
                room: Self.name, takes: FixesForm.self, answers: [.ok(Self.taken)], refuses: [.notOnDuty], handler: take
            ).unhurried,
            Endpoint(
                .get, "/v1/positions", for: .store,
                """
                Where couriers are who carry something of the store's own, and partners on duty who always share that, by their ids; \
                with Accept: text/event-stream, as a stream: `position` as they move, `gone` when one is not seen any more
                """,
                room: Self.name, query: Endpoint.Parameter.list, answers: [.ok(.page(of: SeenPosition.shape))],
                handler: see),
        ]
    }

    static let name = "Positions"

    // MARK: Saying where one is

    private static let taken = Shape.object(
        "TakenFixes",
        [
            .init("taken", .integer(0...Fix.most)),
            .init(
                "refused",
                .array(
                    .object(
                        "RefusedFix",
                        [
                            .init("index", .integer(0...Fix.most - 1)),
                            .init("code", .oneOf(Fix.Refusal.allCases.map(\.rawValue), named: "FixRefusal")),
                        ]))),
        ])

    private func take(_ call: Call, _ form: FixesForm) async throws -> Response {
        var sorted = SortedFixes(form.fixes)
        let sent = SentFixes(courier: call.caller.account, fixes: sorted.fixes.map(\.fix))
        let taken: TakenFixes? =
            switch call.runner {
            case .database: try await intake.take(sent)
            // A request with a key commits with its answer.
            case .transaction(let transaction): try await transaction.run(TakeFixes(sent: [sent])).first
            }
        guard let taken, taken.isAdmitted else { throw Problem.notOnDuty }
        sorted.refuseOlder(than: taken.known)
        // Within a transaction nobody else would find what it has not committed.
        if taken.carries, let ways, case .database = call.runner { await ways.look(for: sent.courier) }
        var json = JSONWriter()
        json.object { json in
            json.field("taken", sorted.fixes.count)
            json.array("refused", sorted.refused) { json, refused in
                json.object { json in
                    json.field("index", refused.index)
                    json.field("code", refused.reason.rawValue)
                }
            }
        }
        return .json(json.bytes)
    }

    // MARK: Seeing it

    private func see(_ call: Call) async throws -> Response {
        if call.request.wantsEventStream { return try stream(call) }
        let page = try call.page()
        let list = ListPositions(store: call.caller.account, after: try page.afterID(), limit: page.fetched)
        let found = Found(try await call.run(list))
        return page.response(found.items, key: { [$0.courier.description] }, next: found.edge) { json, position in
            json.object(position.write)
        }
    }

    private func stream(_ call: Call) throws -> Response {
        let (store, request) = (call.caller.account, call.request)
        let place = try streams.enter(call.caller.session)
        return Response(
            .ok, headers: [Response.Header("X-Accel-Buffering", "no")],
            body: .stream(type: "text/event-stream") { writer in
                let watch = tail.begin(store)
                defer { tail.end(watch) }
                do {
                    try await follow(watch, request, writer)
                } catch is CancellationError where watch.listener.isOver {
                    // The server stops. The stream ends properly, so that its client reconnects.
                }
                withExtendedLifetime(place) {}
            })
    }

    private func follow(_ watch: PositionTail.Watch, _ request: Request, _ writer: BodyWriter) async throws {
        try await writer.write(Array("retry: 1000\n: welcome\n\n".utf8))
        var (place, silentSince, doubts) = (0, Instant.now, Int?.none)
        // Nobody reads on after the session has ended, or while the server stops.
        while !watch.listener.isOver, try await authenticator.caller(of: request)?.account == watch.store {
            // At first, and whenever it may not have been heard who has moved.
            let now = tail.doubts
            if now != doubts {
                doubts = now
                try await showAll(to: watch.store)
            }
            let news = tail.news(for: watch.store, after: place)
            place = news.place
            if !news.lines.isEmpty {
                try await writer.write(news.lines)
                silentSince = .now
            } else if Instant.now >= silentSince + Self.heartbeat {
                try await writer.write(Array("event: alive\ndata: {}\n\n".utf8))
                silentSince = .now
            }
            try await watch.listener.wait(atMost: Self.heartbeat)
        }
    }

    /// How often a silent stream shows that it lives.
    private static let heartbeat = Duration.seconds(15)

    private func showAll(to store: ID) async throws {
        var after: ID?
        repeat {
            let list = ListPositions(store: store, after: after, limit: 200)
            let found = Found(try await database.run(list))
            tail.show(found.items, to: store)
            after = found.items.count == 200 ? found.items.last?.courier : found.edge.flatMap { ID($0[0]) }
        } while after != nil
    }
}

extension Problem {
    fileprivate static let notOnDuty = Problem(.conflict, "not_on_duty")
}
