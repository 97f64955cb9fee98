import Postgres

/// Removes some outdated rows, and says whether there may be more. They are few at a time, so that nobody waits for it.
package struct RemoveOutdated: Statement {
    package init() {}

    package static let sql = """
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
            RETURNING 1),
        budgets AS (
            DELETE FROM sms_budgets WHERE (kind, subject) IN (
                SELECT kind, subject FROM sms_budgets WHERE drained_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED)
            RETURNING 1),
        invited AS (
            DELETE FROM invited_numbers WHERE phone IN (
                SELECT phone FROM invited_numbers WHERE invited_at < now() - interval '1 day'
                LIMIT 500 FOR UPDATE SKIP LOCKED)
            RETURNING 1)
        SELECT greatest((SELECT count(*) FROM sessions), (SELECT count(*) FROM keys), (SELECT count(*) FROM buckets),
            (SELECT count(*) FROM resets), (SELECT count(*) FROM budgets), (SELECT count(*) FROM invited)) = 500
        """

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
