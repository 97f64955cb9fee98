import API
import Domain
import EventLoop
import HTTP
import Postgres

/// The queue from which gateways take messages. The database decides what may happen to one, by functions that gateways
/// can also call there.
package struct OutboxRoom: Room {
    let database: Database
    let tail: OutboxTail

    package init(database: Database, tail: OutboxTail) {
        (self.database, self.tail) = (database, tail)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/outbox/claim", for: .gateway, "Takes messages under a lease", room: Self.name,
                takes: ClaimForm.self, answers: [.ok(ClaimedMessage.list)], refuses: [Self.otherChannel],
                deadline: .seconds(45), handler: claim),
            Endpoint(
                .post, "/v1/outbox/ack", for: .gateway, "Reports that messages have arrived", room: Self.name,
                takes: AckForm.self, answers: [.ok(ReportedOutcome.list)]
            ) { call, form in
                ReportedOutcome.response(
                    try await call.run(AckMessages(messages: form.messages, channels: call.gateway.channels)))
            },
            Endpoint(
                .post, "/v1/outbox/nack", for: .gateway, "Reports that messages have not arrived, and why",
                room: Self.name, takes: NackForm.self, answers: [.ok(ReportedOutcome.list)]
            ) { call, form in
                ReportedOutcome.response(
                    try await call.run(NackMessages(messages: form.messages, channels: call.gateway.channels)))
            },
            Endpoint(
                .post, "/v1/outbox/extend", for: .gateway, "Prolongs the leases of messages", room: Self.name,
                takes: ExtendForm.self, answers: [.ok(ReportedOutcome.list)]
            ) { call, form in
                ReportedOutcome.response(
                    try await call.run(
                        ExtendMessages(
                            messages: form.messages, seconds: Int32(form.leaseSeconds), channels: call.gateway.channels)
                    ))
            },
            Endpoint(
                .get, "/v1/outbox/stats", for: .gateway, "The state of the queue, by channel", room: Self.name,
                answers: [.ok(ChannelStats.list)]
            ) { call in
                ChannelStats.response(try await call.run(ReadOutboxStats(channels: call.gateway.channels)))
            },
            Endpoint(
                .get, "/v1/outbox/dead", for: .gateway, "Messages that were given up, newest first", room: Self.name,
                query: Endpoint.Parameter.list, answers: [.ok(.page(of: DeadMessage.shape))], handler: dead),
            Endpoint(
                .post, "/v1/outbox/dead/{id}/retry", for: .gateway, "Requeues a message that was given up",
                room: Self.name, answers: [.noContent], refuses: [.notFound, Self.untrue, .budgetSpent()]
            ) { call in
                let retry = RetryDead(id: try call.request.parameter("id"), channels: call.gateway.channels)
                guard let isStillTrue = try await call.run(retry).first else { throw Problem.notFound }
                guard isStillTrue else { throw Self.untrue }
                return Response(.noContent)
            },
        ]
    }

    private static let name = "Outbox"
    private static let otherChannel = Problem(.forbidden, "forbidden", wording: "other_channel")
    private static let untrue = Problem(.gone, "gone", wording: "message_untrue")

    private func claim(_ call: Call, _ form: ClaimForm) async throws -> Response {
        try call.gateway.check(form.channel)
        let deadline = Instant.now + .seconds(form.waitSeconds)
        let listener = tail.listen(to: form.channel)
        defer { listener.close() }
        while true {
            let messages = try await take(form, for: call.gateway)
            let now = Instant.now
            guard messages.isEmpty, now < deadline, !listener.isOver else { return ClaimedMessage.response(messages) }
            // A message that was committed late is found only by claiming.
            try await listener.wait(atMost: min(.seconds(1), .nanoseconds(deadline.nanoseconds(since: now))))
        }
    }

    /// At the same moment another gateway may be given a message to the same address; then it tries again.
    private func take(_ form: ClaimForm, for key: GatewayKey) async throws -> [ClaimedMessage] {
        let claim = ClaimMessages(
            key: key.id, channel: form.channel, most: Int32(form.most), seconds: Int32(form.leaseSeconds))
        for _ in 0..<3 {
            do {
                return try await database.run(claim)
            } catch PostgresError.refused(let error) where error.constraint == "one_lease_a_way" {
            } catch PostgresError.refused(let error) where error.constraint == "key_is_good" {
                throw Problem.unauthenticated
            }
        }
        return []
    }

    private func dead(_ call: Call) async throws -> Response {
        let page = try call.page()
        let messages = try await call.run(ListDead(channels: call.gateway.channels, page: page))
        return page.response(messages, key: { [$0.diedAt.text, $0.id.description] }) { json, message in
            json.object(message.write)
        }
    }
}
