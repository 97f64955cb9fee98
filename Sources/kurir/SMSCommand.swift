import Domain
import Postgres

/// `kurir sms`: who wants no SMS.
enum SMSCommand {
    /// From now on the number gets none, and what waits for it is given up.
    static func stop(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let number = try number(settings)
        _ = try database.connect().query("SELECT stop_sms($1)", [number.e164])
        print("\(number.e164) gets no SMS any more.")
    }

    /// The number may get SMS again.
    static func allow(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let number = try number(settings)
        _ = try database.connect().query(
            """
            WITH allowed AS (DELETE FROM sms_stops WHERE phone = $1 RETURNING phone)
            INSERT INTO audit (kind, account_id)
            SELECT 'sms.allowed', c.id FROM allowed LEFT JOIN couriers c ON c.phone = allowed.phone AND c.phone_verified
            """, [number.e164])
        print("\(number.e164) may get SMS.")
    }

    private static func number(_ settings: GivenSettings) throws -> PhoneNumber {
        guard let text = settings.text(.number) else { throw UsageError("which number? As in +385912345678") }
        guard let number = try? PhoneNumber(text) else {
            throw UsageError("\(text) is no phone number; write it as +385912345678")
        }
        return number
    }
}
