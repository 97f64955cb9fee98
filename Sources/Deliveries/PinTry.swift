import API
import Domain
import HTTP
import Postgres

/// Takes one of the five tries that a carry has for its PIN; gives no row when there is none left. Ten minutes after the last,
/// there are five again. It is taken before anybody looks at the PIN, so that tries at once are no more than one after the other.
struct TakePinTry: Statement {
    static let sql = """
        INSERT INTO pin_tries AS t (delivery_id, carry, tries, tried_at) VALUES ($1, $2, 1, now())
        ON CONFLICT (delivery_id) DO UPDATE SET carry = EXCLUDED.carry, tried_at = EXCLUDED.tried_at,
            tries = CASE WHEN t.carry = EXCLUDED.carry AND t.tries < 5 THEN t.tries + 1 ELSE 1 END
        WHERE t.carry <> EXCLUDED.carry OR t.tries < 5 OR t.tried_at < now() - interval '10 minutes'
        RETURNING true
        """
    let delivery: ID
    let carry: Timestamp

    func bind(into parameters: inout Parameters) {
        parameters.add(delivery)
        parameters.add(carry)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

extension Problem {
    static let wrongPin = Problem(.unprocessable, "wrong_pin")
    static let tooManyPins = Problem(
        .tooManyRequests, "too_many_pins", headers: [Response.Header("Retry-After", "600")])
}
