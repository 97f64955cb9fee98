import EventLoop
import Postgres

/// Removes what time has made worthless, little by little.
public struct Housekeeping: Sendable {
    private let task: Task<Void, Never>

    /// Begins, on the group's first loop.
    public init(
        _ database: Database, on group: EventLoopGroup, keepingEventsFor retention: Duration, messagesFor days: Int
    ) {
        let old = RemoveOldEvents(seconds: Double(retention.components.seconds))
        let partitions = RenewMessagePartitions(days: Int32(days))
        let loop = group.loops[0]
        task = Task(executorPreference: loop) {
            while !Task.isCancelled {
                // What cannot be done now will be next time.
                _ = try? await database.run(partitions)
                _ = try? await database.run(FoldMessageCounts())
                try? await loop.sleep(for: .seconds(60))
                while (try? await database.run(RemoveOutdated()).first ?? 0) ?? 0 > 0 {}
                while (try? await database.run(old).first ?? 0) ?? 0 > 0 {}
            }
        }
    }

    /// Ends it.
    public func stop() {
        task.cancel()
    }
}

/// Removes some of what is outdated, and gives how much; few rows at a time, so that nobody waits for it.
private struct RemoveOutdated: Statement {
    static let sql = """
        WITH sessions AS (
            DELETE FROM sessions WHERE id IN (
                SELECT id FROM sessions WHERE expires_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        keys AS (
            DELETE FROM idempotency_keys WHERE (account_id, key) IN (
                SELECT account_id, key FROM idempotency_keys WHERE created_at < now() - interval '24 hours'
                LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        buckets AS (
            DELETE FROM throttles WHERE subject IN (
                SELECT subject FROM throttles WHERE drained_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        resets AS (
            DELETE FROM password_resets WHERE account_id IN (
                SELECT account_id FROM password_resets WHERE expires_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED)
            RETURNING 1)
        SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM keys) + (SELECT count(*) FROM buckets)
            + (SELECT count(*) FROM resets)
        """

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
