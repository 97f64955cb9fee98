import API
import Domain
import HTTP
import Postgres

/// Takes one of the five tries that a carry has for its PIN; gives how many seconds are left to wait when there is none. Ten minutes
/// after the last, there are five again. It is taken before anybody looks at the PIN, so that tries at once are no more than one
/// after the other.
struct TakePinTry: Statement {
    /// How long nobody looks at a PIN after five tries.
    static let seconds: Int32 = 600
    static let sql = """
        WITH taken AS (
            INSERT INTO pin_tries AS t (delivery_id, carry, tries, tried_at) VALUES ($1, $2, 1, now())
            ON CONFLICT (delivery_id) DO UPDATE SET carry = EXCLUDED.carry, tried_at = EXCLUDED.tried_at,
                tries = CASE WHEN t.carry = EXCLUDED.carry AND t.tries < 5 THEN t.tries + 1 ELSE 1 END
            WHERE t.carry <> EXCLUDED.carry OR t.tries < 5 OR t.tried_at < now() - interval '\(seconds) seconds'
            RETURNING true)
        SELECT CASE WHEN NOT EXISTS (SELECT FROM taken) THEN coalesce((
            SELECT \(seconds) - floor(extract(epoch FROM now() - tried_at))::integer FROM pin_tries
            WHERE delivery_id = $1), \(seconds)) END
        """
    let delivery: ID
    let carry: Timestamp

    func bind(into parameters: inout Parameters) {
        parameters.add(delivery)
        parameters.add(carry)
    }

    static func decode(_ row: inout RowReader) throws -> Int32? { try row.read() }
}

extension Problem {
    static let wrongPin = Problem(.unprocessable, "wrong_pin", usesUpTry: true)

    static func tooManyPins(for seconds: Int32 = TakePinTry.seconds) -> Problem {
        Problem(.tooManyRequests, "too_many_pins", headers: [Response.Header("Retry-After", "\(max(seconds, 1))")])
    }
}
