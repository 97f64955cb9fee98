import API
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
                SELECT account_id, key FROM idempotency_keys WHERE created_at < now() - \(FirstAnswers.kept)
                LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        buckets AS (
            DELETE FROM throttles WHERE subject IN (
                SELECT subject FROM throttles WHERE drained_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        resets AS (
            DELETE FROM reset_codes WHERE id IN (
                SELECT id FROM reset_codes WHERE expires_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        guesses AS (
            DELETE FROM reset_guesses WHERE account_id IN (
                SELECT account_id FROM reset_guesses WHERE since < now() - interval '1 day'
                LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        -- A change can still be gone on with by another code for some time.
        confirmations AS (
            DELETE FROM confirmations WHERE account_id IN (
                SELECT account_id FROM confirmations WHERE expires_at < now() - interval '1 day'
                LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        places AS (
            DELETE FROM former_places WHERE token_hash IN (
                SELECT token_hash FROM former_places WHERE expires_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        addresses AS (
            DELETE FROM used_addresses WHERE (account_id, address, agent) IN (
                SELECT account_id, address, agent FROM used_addresses WHERE used_at < now() - interval '400 days'
                LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        budgets AS (
            DELETE FROM sms_budgets WHERE (kind, subject) IN (
                SELECT kind, subject FROM sms_budgets WHERE drained_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED)
            RETURNING 1),
        jobs AS (
            DELETE FROM jobs WHERE (courier_id, status, delivery_id) IN (
                SELECT courier_id, status, delivery_id FROM jobs WHERE until < now() LIMIT 500 FOR UPDATE SKIP LOCKED)
            RETURNING 1),
        numbers AS (
            DELETE FROM invited_numbers WHERE phone IN (
                SELECT phone FROM invited_numbers WHERE invited_at < now() - interval '1 day'
                LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1)
        SELECT greatest((SELECT count(*) FROM sessions), (SELECT count(*) FROM keys), (SELECT count(*) FROM buckets),
            (SELECT count(*) FROM resets), (SELECT count(*) FROM guesses), (SELECT count(*) FROM confirmations),
            (SELECT count(*) FROM places), (SELECT count(*) FROM addresses), (SELECT count(*) FROM budgets),
            (SELECT count(*) FROM numbers), (SELECT count(*) FROM jobs)) = 500
        """

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
