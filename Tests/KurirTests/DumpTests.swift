import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

/// Somebody has a dump of the database, and nothing else.
@Suite(.database) struct DumpTests {
    private var url: String { TestDatabase.current.url }

    private func query(_ sql: String) async throws -> [[String?]] {
        let url = url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    private func part(_ name: String, _ body: String) throws -> String {
        try String(#require(body.firstMatch(of: try Regex("\"\(name)\":\"([^\"]+)\"")))[1].substring ?? "")
    }

    private func dump() async throws -> String {
        let file = TemporaryDirectory.path("dump")
        let made = try await Program.run("pg_dump", ["-d", url, "-f", file])
        try #require(made.code == 0, "\(made.complained)")
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    /// Whatever was sent with them is over or waits; what waits is all that may be there.
    @Test(arguments: ["off", "on"])
    func `a dump has no token, key or code but those that wait to be sent`(_ verify: String) async throws {
        try await Kurir.serving("--database", url, "--throttle", "off", "--verify", verify) { kurir in
            let (secrets, waiting, codes) = try await work(with: kurir, proving: verify == "on")
            let dump = try await dump()
            // Six digits may be part of a time elsewhere.
            let messages = dump.split(separator: "\n").filter { $0.contains("\tconfirmation_code\t") }
            #expect(messages.count == codes.count)
            for code in codes { #expect(!messages.contains { $0.contains(code) }, "\(code)") }
            #expect(dump.contains("pekara@example.com"))
            for secret in secrets {
                #expect(!dump.contains(secret), "\(secret)")
                #expect(!dump.contains(Data(secret.utf8).map { String(format: "%02x", $0) }.joined()), "\(secret)")
            }
            #expect(dump.contains(waiting))
            try await tryWhatIsThere(dump, kurir)
            try await tryKeys(kurir)
        }
    }

    /// Everything that makes something secret: registering, signing in, invites, codes of passwords, keys of gateways, kept
    /// answers.
    private func work(
        with kurir: Kurir, proving: Bool
    ) async throws -> (secrets: [String], waiting: String, codes: [String]) {
        var (secrets, proven) = (["krumpir-na-tavi", "bicikl-i-kaciga"], [String]())
        func call(_ status: Int, _ path: String, _ body: String, as token: String? = nil) async throws -> String {
            let answer = try await kurir.send("POST", path, body, as: token)
            try #require(answer.status == status, "\(path): \(answer.body)")
            return answer.body
        }
        let store = try part(
            "token",
            await call(
                201, "/v1/stores",
                """
                {"email":"pekara@example.com","password":"krumpir-na-tavi","name":"Pekara","tax_id":"12345678903",
                "address":"Ilica 1","phone":"01 4828 111"}
                """))
        secrets.append(store)
        if proving { proven.append(try await prove("email", as: store, with: kurir)) }
        // One is used, one taken back, one has arrived, one waits.
        var codes: [String] = []
        for number in 1...4 {
            codes.append(
                try part("code", await call(201, "/v1/invites", #"{"phone":"091 234 567\#(number)"}"#, as: store)))
        }
        let courier = """
            {"first_name":"Ana","last_name":"Anić","phone":"091 234 5671","password":"bicikl-i-kaciga",
            "invite_code":"\(codes[0])"}
            """
        secrets.append(try part("token", await call(201, "/v1/couriers", courier)))
        if proving { proven.append(try await prove("phone", as: secrets.last ?? "", with: kurir)) }
        let revoked = try part("id", await call(200, "/v1/invites", #"{"phone":"091 234 5672"}"#, as: store))
        #expect(try await kurir.send("DELETE", "/v1/invites/\(revoked)", as: store).status == 204)
        #expect(
            try await kurir.get(
                "/v1/invites", "-d", #"{"phone":"091 234 5675"}"#, "-H", "Content-Type: application/json", "-H",
                "Authorization: Bearer \(store)", "-H", "Idempotency-Key: kept"
            ).status == 201)
        _ = try await call(202, "/v1/password_resets", #"{"email":"pekara@example.com"}"#)
        let resets = try await query("SELECT data->>'code' FROM outbox WHERE kind = 'password_reset'")
        try #require(resets.count == 1)
        secrets.append(resets[0][0] ?? "")
        _ = try await query("SELECT outbox_ack(array_agg(id), array_agg(lease)) FROM outbox_claim('email', 9, 60)")
        // All but one SMS have arrived.
        _ = try await query(
            """
            WITH mine AS (SELECT * FROM outbox_claim('sms', 9, 60))
            SELECT outbox_ack(array_agg(id), array_agg(lease)) FROM mine WHERE address <> '+385912345674'
            """)
        let key = try await Kurir.run("gateway-key", "create", "--name", "x", "--channel", "sms", "--database", url)
        secrets.append(key.said.trimmingCharacters(in: .newlines))
        let webhooks = try await Kurir.run("gateway", "secret", "--database", url)
        secrets.append(String(webhooks.said.trimmingCharacters(in: .newlines).dropFirst("whsec_".count)))
        secrets += codes.prefix(3)
        return (secrets, codes[3], proven)
    }

    /// Types in the code that waits to be sent, and gives it.
    private func prove(_ what: String, as token: String, with kurir: Kurir) async throws -> String {
        let codes = try await query("SELECT data->>'code' FROM outbox WHERE kind = 'confirmation_code'")
        try #require(codes.count == 1)
        let code = try #require(codes[0][0])
        let answer = try await kurir.send("POST", "/v1/me/\(what)/confirm", #"{"code":"\#(code)"}"#, as: token)
        try #require(answer.status == 200, "\(answer.body)")
        return code
    }

    /// Whatever looks like a hash or a secret is no token, no key and no code.
    private func tryWhatIsThere(_ dump: String, _ kurir: Kurir) async throws {
        let found = Set(dump.matches(of: /\\\\x([0-9a-f]{64,})/).map { String($0.1) })
        #expect(found.count >= 5)
        for hexadecimal in found {
            let base64 = Base64URL.encode(bytes(hexadecimal))
            for token in [hexadecimal, base64, "kgw_" + base64] {
                #expect(try await kurir.send("GET", "/v1/me", as: token).status == 401)
                let claim = #"{"channel":"sms","max":1,"lease_seconds":60}"#
                #expect(try await kurir.send("POST", "/v1/outbox/claim", claim, as: token).status == 401)
            }
        }
        let sealed = try await query("SELECT secret IS NULL, sealed_by IS NOT NULL FROM server_secret")
        #expect(sealed == [["t", "t"]])
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        stride(from: 0, to: hexadecimal.count, by: 2).map { place in
            UInt8(hexadecimal.dropFirst(place).prefix(2), radix: 16) ?? 0
        }
    }

    /// Nothing that is kept of the keys for web push and for proofs is a key, wherever one begins to read.
    private func tryKeys(_ kurir: Kurir) async throws {
        let rows = try await query(
            "SELECT split_part(purpose, ' ', 1), encode(sealed, 'hex') FROM server_keys ORDER BY 1")
        #expect(rows.map { $0[0] } == ["proof", "web"])
        let published = try await kurir.get("/.well-known/kurir-proof-keys").body
        for row in rows {
            let sealed = bytes(row[1] ?? "")
            for place in sealed.indices {
                #expect(PrivateKey(der: Array(sealed[place...])) == nil)
                guard let key = SigningKey(seed: Array(sealed[place...].prefix(32))) else { continue }
                #expect(!published.contains(Base64URL.encode(key.publicKey)))
            }
        }
    }
}
