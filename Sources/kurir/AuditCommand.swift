import API
import Crypto
import Domain
import Observability
import Postgres

/// `kurir audit`: what happened to accounts, keys and the like.
enum AuditCommand {
    /// Prints a line for each event, the oldest first.
    static func run(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let days = try settings.number(.auditDays, in: 1...400) ?? 7
        let account = try settings.value(.auditAccount, expected: "an account's id", ID.init)
        let rows = try database.connect().query(CommandSQL.listAudit, [String(days), account?.description])
        for row in rows {
            let named = zip(["account", "address", "who", "detail", "count"], row.dropFirst(2)).compactMap {
                name, text in
                text.map { "\(name)=\($0)" }
            }
            print(([row[0] ?? "", row[1] ?? ""] + named).joined(separator: "  "))
        }
        if rows.isEmpty { print("Nothing happened in the last \(days == 1 ? "day" : "\(days) days").") }
    }
}

extension SecurityEvent {
    /// The event as the log has it.
    var told: ProcessEvent {
        .security(
            kind: kind.rawValue, account: account?.description, address: address, who: meant.map { hexadecimal($0) },
            requestID: requestID)
    }
}

extension CommandSQL {
    static let listAudit = """
        SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), kind, account_id, address,
            encode(who, 'hex'), nullif(detail::text, '{}'), nullif(count, 1)
        FROM (
            SELECT id, at, kind, account_id, address, who, detail, count FROM audit
            UNION ALL
            SELECT id, at, kind, account_id, nullif(address, ''), nullif(who, ''), '{}', count FROM audit_failures) events
        WHERE at > now() - make_interval(days => $1::integer) AND ($2::uuid IS NULL OR account_id = $2::uuid)
        ORDER BY at, id
        """
}
