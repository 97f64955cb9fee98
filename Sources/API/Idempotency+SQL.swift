import Domain
import Postgres

/// First answers to requests with a key.
package enum FirstAnswers {
    /// For how many hours they are given again.
    static let hours = 24
    /// The same, as SQL has it.
    package static let kept = "interval '\(hours) hours'"
}

/// Holds the key until the transaction ends; false when a twin holds it.
struct LockIdempotencyKey: Statement {
    static let sql = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))"
    let attempt: Attempt

    func bind(into parameters: inout Parameters) {
        parameters.add("\(attempt.account) \(attempt.key)")
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Finds the first answer to a request with this key, if it is at most a day old.
struct FindFirstAnswer: Statement {
    static let sql = """
        SELECT fingerprint, status, headers, body FROM idempotency_keys
        WHERE account_id = $1 AND key = $2 AND created_at > now() - \(FirstAnswers.kept)
        """
    let attempt: Attempt

    func bind(into parameters: inout Parameters) {
        parameters.add(attempt.account)
        parameters.add(attempt.key)
    }

    static func decode(_ row: inout RowReader) throws -> KeptAnswer {
        let fingerprint: Bytes = try row.read()
        let status: Int16 = try row.read()
        let headers: [String] = try row.read()
        let body: Bytes = try row.read()
        return KeptAnswer(fingerprint: fingerprint.bytes, status: Int(status), headers: headers, body: body.bytes)
    }
}

/// Keeps an answer, replacing one that is older than a day.
package struct KeepFirstAnswer: Statement {
    package static let sql = """
        INSERT INTO idempotency_keys AS kept (account_id, key, fingerprint, status, headers, body)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (account_id, key) DO UPDATE
        SET (fingerprint, status, headers, body, created_at)
            = (EXCLUDED.fingerprint, EXCLUDED.status, EXCLUDED.headers, EXCLUDED.body, now())
        WHERE kept.created_at <= now() - \(FirstAnswers.kept)
        RETURNING true
        """
    package let attempt: Attempt
    package let status: Int16
    package let headers: [String]
    package let body: [UInt8]

    package func bind(into parameters: inout Parameters) {
        parameters.add(attempt.account)
        parameters.add(attempt.key)
        parameters.add(Bytes(attempt.fingerprint))
        parameters.add(status)
        parameters.add(headers)
        parameters.add(Bytes(body))
    }

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Removes an answer that is older than a day.
struct ForgetFirstAnswer: Statement {
    static let sql = """
        DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND created_at <= now() - \(FirstAnswers.kept)
        """
    let attempt: Attempt

    func bind(into parameters: inout Parameters) {
        parameters.add(attempt.account)
        parameters.add(attempt.key)
    }
}

/// Whether any of these accounts is erased, or is being erased.
struct AreErased: Statement {
    static let sql = """
        SELECT EXISTS (
            SELECT FROM accounts a WHERE a.id = ANY ($1) AND (
                a.erased_at IS NOT NULL OR EXISTS (SELECT FROM erasures e WHERE e.account_id = a.id AND e.stage IS NOT NULL)))
        """
    static let isReadOnly = true
    let accounts: [ID]

    func bind(into parameters: inout Parameters) { parameters.add(accounts) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
