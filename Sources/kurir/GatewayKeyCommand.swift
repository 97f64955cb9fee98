import API
import Domain
import Postgres

/// `kurir gateway-key`: the keys that let gateways in.
enum GatewayKeyCommand {
    /// Makes a key and prints it, alone on standard output; only its hash is kept.
    static func create(_ settings: GivenSettings, in database: RunningDatabase) throws {
        guard let name = try name(settings) else {
            throw UsageError("a key wants a name: --name NAME, as in --name twilio")
        }
        guard let channels = try channels(settings) else {
            throw UsageError("a key wants channels: --channel \(GatewayKey.allChannels.joined(separator: ","))")
        }
        let secret = GatewayKey.newSecret()
        let hash = GatewayKey.hash(secret).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        _ = try database.connect().query(
            """
            INSERT INTO gateway_keys (id, name, channels, key_hash)
            VALUES (uuid_v7(), $1, string_to_array($2, ','), decode($3, 'hex'))
            """, [name, channels.joined(separator: ","), hash])
        print(secret)
    }

    /// The name, by the rules of the database.
    private static func name(_ settings: GivenSettings) throws -> String? {
        try settings.value(.gatewayName, expected: "one line of 100 characters at the most") {
            try? Texts.line($0, upTo: Bounds.gatewayKeyName)
        }
    }

    /// The channels that were named.
    static func channels(_ settings: GivenSettings) throws -> [String]? {
        let known = GatewayKey.allChannels
        return try settings.value(.gatewayChannels, expected: "of \(known.joined(separator: ","))") { text in
            let names = Set(text.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) })
            return !names.isEmpty && names.isSubset(of: known) ? known.filter(names.contains) : nil
        }
    }

    static func list(in database: RunningDatabase) throws {
        let rows = try database.connect().query(
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

    /// Revokes a key, named by its id or by a name that no other valid key has.
    static func revoke(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let meant = try meant(settings)
        let connection = try database.connect()
        let keys = try connection.query(
            "SELECT id, name FROM gateway_keys WHERE revoked_at IS NULL AND (id::text = $1 OR name = $2)",
            [meant.id, meant.name])
        guard let key = keys.first, let id = key[0], let name = key[1] else {
            throw UsageError(
                "there is no key \(meant.id ?? meant.name ?? "") that is still good; see kurir gateway-key list")
        }
        guard keys.count == 1 else {
            let ids = keys.compactMap(\.[0]).joined(separator: " or ")
            throw UsageError("\(keys.count) keys that are still good are called \(name): say which, --id \(ids)")
        }
        _ = try connection.query("UPDATE gateway_keys SET revoked_at = now() WHERE id = $1::uuid", [id])
        print("The key of \(name) is revoked.")
    }

    /// The key that is meant. The command line takes precedence over the environment.
    private static func meant(_ settings: GivenSettings) throws -> (id: String?, name: String?) {
        let id = try settings.value(.gatewayKey, expected: "an id, as kurir gateway-key list shows it", ID.init)
        let name = try name(settings)
        switch (id, name) {
        case (nil, nil): throw UsageError("which key? --id ID or --name NAME; see kurir gateway-key list")
        case (let id?, let name?) where settings.isOnCommandLine(.gatewayKey) == settings.isOnCommandLine(.gatewayName):
            throw UsageError("--id and --name exclude each other: is it \(id) or \(name)?")
        case (let id?, _) where name == nil || settings.isOnCommandLine(.gatewayKey): return (id.description, nil)
        default: return (nil, name)
        }
    }
}
