import Features
import Postgres

/// `kurir gateway-key`: the keys by which gateways are let in.
enum GatewayKeyCommand {
    /// Makes a key and prints it, alone on standard output; only its hash is kept.
    static func create(_ settings: Settings, at url: String) throws {
        guard let name = settings.text(.gatewayName) else {
            throw UsageError("a key wants a name: --name NAME, as in --name twilio")
        }
        guard let channels = try channels(settings) else {
            throw UsageError("a key wants channels: --channel \(GatewayKey.allChannels.joined(separator: ","))")
        }
        let secret = GatewayKey.newSecret()
        let hash = GatewayKey.hash(secret).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        _ = try BlockingConnection(url: url).query(
            """
            INSERT INTO gateway_keys (id, name, channels, key_hash)
            VALUES (uuid_v7(), $1, string_to_array($2, ','), decode($3, 'hex'))
            """, [name, channels.joined(separator: ","), hash])
        print(secret)
    }

    /// The channels that were named.
    static func channels(_ settings: Settings) throws -> [String]? {
        let known = GatewayKey.allChannels
        return try settings.value(.gatewayChannels, expected: "of \(known.joined(separator: ","))") { text in
            let names = Set(text.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) })
            return !names.isEmpty && names.isSubset(of: known) ? known.filter(names.contains) : nil
        }
    }

    static func list(at url: String) throws {
        let rows = try BlockingConnection(url: url).query(
            """
            SELECT id, name, array_to_string(channels, ','), to_char(created_at, 'YYYY-MM-DD HH24:MI'),
                coalesce(to_char(used_at, 'YYYY-MM-DD HH24:MI'), 'never'), coalesce(to_char(revoked_at, 'YYYY-MM-DD HH24:MI'), '')
            FROM gateway_keys ORDER BY created_at, id
            """)
        for row in rows {
            let text = row.map { $0 ?? "" }
            let end = text[5].isEmpty ? "" : "  revoked \(text[5])"
            print("\(text[0])  \(text[1])  \(text[2])  created \(text[3])  last used \(text[4])\(end)")
        }
        if rows.isEmpty {
            print("There are no keys yet: kurir gateway-key create --name NAME --channel sms,push,email")
        }
    }

    static func revoke(_ settings: Settings, at url: String) throws {
        guard let id = settings.text(.gatewayKey) else {
            throw UsageError("which key? --id ID; see kurir gateway-key list")
        }
        let rows = try BlockingConnection(url: url).query(
            "UPDATE gateway_keys SET revoked_at = now() WHERE id::text = lower($1) AND revoked_at IS NULL RETURNING name",
            [id])
        guard let name = rows.first?[0] else {
            throw UsageError("there is no key \(id) that is still good; see kurir gateway-key list")
        }
        print("The key of \(name) is revoked.")
    }
}
