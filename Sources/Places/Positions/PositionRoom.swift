import API
import Domain
import Feed
import HTTP
import Postgres

/// Where couriers are: they say it, and stores that it concerns see it.
package struct PositionRoom: Room {
    private let intake: PositionIntake
    private let tail: PositionTail
    private let streams: NewsStreams
    /// By road, where there is a router.
    private let ways: Ways?

    package init(intake: PositionIntake, tail: PositionTail, streams: NewsStreams, ways: Ways?) {
        (self.intake, self.tail, self.streams, self.ways) = (intake, tail, streams, ways)
    }

    package let eventTypes = [EventType.nearby.rawValue]

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
                room: Self.name, query: Endpoint.Parameter.list,
                answers: [.ok(.page(of: SeenPosition.shape)).orStream()],
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
        sorted.refuseOlder(than: taken.oldest)
        // Within a transaction nobody else would find what it has not committed.
        if taken.carries, let ways, case .database = call.runner { ways.look(for: sent.courier) }
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
        if call.request.wantsEventStream { return try await streams.response(to: call, from: tail) }
        let page = try call.page()
        let list = ListPositions(store: call.caller.account, after: try page.afterID(), limit: page.fetched)
        let found = Found(try await call.run(list))
        return page.response(found.items, key: { [$0.courier.description] }, next: found.edge) { json, position in
            json.object { position.write(&$0) }
        }
    }
}

extension Problem {
    fileprivate static let notOnDuty = Problem(.conflict, "not_on_duty")
}
