import API
import Domain
import Postgres

/// `kurir sms`: who wants no SMS.
enum SMSCommand {
    /// From now on the number gets none, and what waits for it is given up.
    static func stop(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let number = try number(settings)
        _ = try database.connect().query(CommandSQL.stopSMS, [number.e164])
        print("\(number.e164) gets no SMS any more.")
    }

    /// The number may get SMS again.
    static func allow(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let number = try number(settings)
        _ = try database.connect().query(CommandSQL.allowSMS, [number.e164])
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

extension CommandSQL {
    static let stopSMS = "SELECT stop_sms($1)"

    static let allowSMS = """
        WITH allowed AS (DELETE FROM sms_stops WHERE phone = $1 RETURNING phone)
        \(Audit.sql("""
            SELECT jsonb_build_object('kind', 'sms.allowed', 'account', c.id) AS event
            FROM allowed LEFT JOIN couriers c ON c.phone = allowed.phone AND c.phone_verified
            """))
        """
}
