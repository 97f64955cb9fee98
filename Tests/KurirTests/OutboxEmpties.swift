import Postgres
import TestSupport

/// Waits until nothing is left in the outbox of this test.
///
/// What a busy machine kept from arriving in time would wait for many minutes, longer after each gateway that died with it: here no
/// longer than after its first try. At once would be too soon, since what was sent in vain may still lie before its receiver.
func outboxEmpties() async throws {
    let url = TestDatabase.current.url
    try await eventually(within: .seconds(900)) {
        try await blocking {
            let connection = try BlockingConnection(url: url)
            _ = try connection.query(
                """
                UPDATE message_queue SET ready_at = clock_timestamp() + interval '45 seconds'
                WHERE lease IS NULL AND ready_at > clock_timestamp() + interval '1 minute'
                """)
            return try connection.query("SELECT FROM message_queue LIMIT 1").isEmpty
        }
    }
}
