import EventLoop
import HTTP
import TestSupport
import Testing

extension RetryTests {
    /// How another go and what makes it untrue meet.
    private enum Meeting: CaseIterable {
        /// The other go has looked, and has not written yet.
        case within
        case atOnce, again, onceMore, theOtherWayRound
    }

    /// What is untrue in the end does not wait for a gateway, whoever was first.
    @Test(arguments: Untruth.allCases) func `no retry raises what becomes untrue at that moment`(
        _ untruth: Untruth
    ) async throws {
        try await ServedProduct.serving(
            publicURL: "https://kurir.example", verifies: true, trust: untruth.trust
        ) { api in
            let key = try await api.key()
            // Each by connections of its own: one must not wait behind the other, which waits for a lock until both do.
            let (going, changing) = (api.by(api.group.loops[0]), api.by(api.group.loops[1]))
            // Somebody sends SMS.
            _ = try await api.claim(key, channel: "sms")
            for meeting in Meeting.allCases {
                let change = try await scene(untruth, changing)
                let message = try await giveUp(untruth, key, api)
                let id = message["id"].string ?? ""
                let (raised, changed) = try await meet(
                    meeting, api, { try await going.post("/v1/outbox/dead/\(id)/retry", as: key) },
                    { try await change(message) })
                #expect([204, 410].contains(raised.status), "\(meeting): \(raised.json)")
                #expect((200...204).contains(changed.status), "\(meeting): \(changed.json)")
                #expect(try await api.execute("SELECT FROM message_queue WHERE id = '\(id)'").isEmpty, "\(meeting)")
                // The next scene has its own.
                try await api.execute("DELETE FROM message_queue")
            }
        }
    }

    private func meet(
        _ meeting: Meeting, _ api: ServedProduct, _ retry: @escaping @Sendable () async throws -> Answer,
        _ change: @escaping @Sendable () async throws -> Answer
    ) async throws -> (raised: Answer, changed: Answer) {
        switch meeting {
        case .within:
            return try await meetWithin(api, retry, change)
        case .theOtherWayRound:
            async let changed = change()
            async let raised = retry()
            return try await (raised, changed)
        default:
            async let raised = retry()
            async let changed = change()
            return try await (raised, changed)
        }
    }

    /// Nothing is written to the queue until the other go waits for that, and the change waits, too, or is done.
    private func meetWithin(
        _ api: ServedProduct, _ retry: @escaping @Sendable () async throws -> Answer,
        _ change: @escaping @Sendable () async throws -> Answer
    ) async throws -> (raised: Answer, changed: Answer) {
        let lock = try await OpenTransaction.begin()
        try await lock.query("LOCK TABLE message_queue IN SHARE MODE")
        let isChanged = Locked(false)
        async let raised = retry()
        try await eventually { try await waiting(api, "retry_message").count == 1 }
        async let changed = {
            let answer = try await change()
            isChanged.withLock { $0 = true }
            return answer
        }()
        try await eventually {
            if isChanged.withLock({ $0 }) { return true }
            return try await waiting(api, "").count > 1
        }
        try await lock.commit()
        return try await (raised, changed)
    }

    private func waiting(_ api: ServedProduct, _ what: String) async throws -> [[String?]] {
        try await api.execute(
            """
            SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, '\(what)') > 0
            """)
    }
}
