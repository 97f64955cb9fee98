import Postgres
import TestSupport

/// Waits until nothing is left in the outbox of this test.
///
/// What a busy machine kept from arriving in time would wait for minutes, and longer after each gateway that died with it:
/// here it is as if it had not been tried.
func outboxEmpties() async throws {
    let url = TestDatabase.current.url
    try await eventually {
        try await blocking {
            let connection = try BlockingConnection(url: url)
            _ = try connection.query(
                """
                UPDATE message_queue SET ready_at = clock_timestamp(), attempt = 0 WHERE lease IS NULL AND attempt > 0
                """)
            return try connection.query("SELECT FROM message_queue LIMIT 1").isEmpty
        }
    }
}
