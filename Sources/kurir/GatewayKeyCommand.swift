import API
import Crypto
import Domain
import Postgres

/// `kurir gateway-key`: the keys that let gateways in.
enum GatewayKeyCommand {
    /// Makes a key and prints it, alone on standard output; only its hash is kept. A gateway in the database has its role
    /// instead.
    static func create(_ settings: GivenSettings, in database: RunningDatabase) throws {
        guard let name = try name(settings) else {
            throw UsageError("a key wants a name: --name NAME, as in --name twilio")
        }
        guard let channels = try channels(settings) else {
            throw UsageError("a key wants channels: --channel \(GatewayKey.allChannels.joined(separator: ","))")
        }
        let role = settings.text(.gatewayRole)
        let end = try settings.value(.gatewayExpires, expected: "a day that is not over, as in 2027-12-31") { text in
            Day(text).flatMap { $0 < .today ? nil : $0 }
        }
        let secret = GatewayKey.newSecret()
        let connection = try database.connect()
        if let role { try check(role, connection) }
        _ = try connection.query(
            CommandSQL.makeGatewayKey,
            [
                name, channels.joined(separator: ","), role == nil ? hexadecimal(GatewayKey.hash(secret)) : nil, role,
                end.map { "\($0)" },
            ])
        print(role.map { "The role \($0) may take \(channels.joined(separator: ", "))." } ?? secret)
    }

    /// A limit on a role that takes no messages would limit nobody.
    private static func check(_ role: String, _ connection: BlockingConnection) throws {
        let known = try connection.query(CommandSQL.findGatewayRole, [role])
        guard !known.isEmpty else {
            throw UsageError("\(role) is no role of a gateway: GRANT kurir_gateway TO a role of that name first")
        }
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
            GivenSettings.list(text) { known.contains($0) ? $0 : nil }.map { names in known.filter(names.contains) }
        }
    }

    static func list(in database: RunningDatabase) throws {
        let rows = try database.connect().query(CommandSQL.listGatewayKeys)
        for row in rows {
            let text = row.map { $0 ?? "" }
            let end = text[5].isEmpty ? "" : "  revoked \(text[5])"
            let bound = text[6].isEmpty ? "" : "  expires \(text[6])"
            let role = text[7].isEmpty ? "" : "  role \(text[7])"
            print("\(text[0])  \(text[1])  \(text[2])\(role)  created \(text[3])  last used \(text[4])\(bound)\(end)")
        }
        if rows.isEmpty {
            print("There are no keys yet: kurir gateway-key create --name NAME --channel sms,push,email")
        }
    }

    /// Revokes a key, named by its id or by a name that no other valid key has.
    static func revoke(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let meant = try meant(settings)
        let connection = try database.connect()
        let keys = try connection.query(CommandSQL.findGatewayKeys, [meant.id, meant.name])
        guard let key = keys.first, let id = key[0], let name = key[1] else {
            throw UsageError(
                "there is no key \(meant.id ?? meant.name ?? "") that is still good; see kurir gateway-key list")
        }
        guard keys.count == 1 else {
            let ids = keys.compactMap(\.[0]).joined(separator: " or ")
            throw UsageError("\(keys.count) keys that are still good are called \(name): say which, --id \(ids)")
        }
        _ = try connection.query(CommandSQL.revokeGatewayKey, [id])
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

extension CommandSQL {
    static let makeGatewayKey = """
        WITH made AS (
            INSERT INTO gateway_keys (id, name, channels, key_hash, role, expires_at)
            VALUES (uuid_v7(), $1, string_to_array($2, ','), decode($3, 'hex'), $4, $5::date + 1)
            RETURNING id, name, channels, role, expires_at)
        \(Audit.sql("SELECT jsonb_build_object('kind', 'gateway_key.created', 'detail', to_jsonb(made)) AS event FROM made"))
        """

    static let findGatewayRole =
        "SELECT FROM pg_roles WHERE rolname = $1 AND pg_has_role(oid, 'kurir_gateway', 'MEMBER')"

    static let listGatewayKeys = """
        SELECT id, name, array_to_string(channels, ','), to_char(created_at, 'YYYY-MM-DD HH24:MI'),
            coalesce(to_char(used_at, 'YYYY-MM-DD HH24:MI'), 'never'), coalesce(to_char(revoked_at, 'YYYY-MM-DD HH24:MI'), ''),
            coalesce(to_char(expires_at - interval '1 day', 'YYYY-MM-DD'), ''), coalesce(role, '')
        FROM gateway_keys ORDER BY created_at, id
        """

    static let findGatewayKeys =
        "SELECT id, name FROM gateway_keys WHERE revoked_at IS NULL AND (id::text = $1 OR name = $2)"

    static let revokeGatewayKey = """
        WITH revoked AS (UPDATE gateway_keys SET revoked_at = now() WHERE id = $1::uuid RETURNING id, name)
        \(Audit.sql("SELECT jsonb_build_object('kind', 'gateway_key.revoked', 'detail', to_jsonb(revoked)) AS event FROM revoked"))
        """
}
