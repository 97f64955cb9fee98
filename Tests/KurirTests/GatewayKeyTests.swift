import Foundation
import Postgres
import TestSupport
import Testing

/// `kurir gateway-key`, as operators use it.
@Suite(.database) struct GatewayKeyTests {
    @Test(arguments: [("gateway-key", ["create", "list", "revoke"]), ("gateway", ["run", "secret"])])
    func `the help of a word is that of all its commands`(_ word: String, _ commands: [String]) async throws {
        let (code, said, _) = try await Kurir.run(word, "--help")
        #expect(code == 0 && commands.allSatisfy { said.contains("kurir \(word) \($0): ") })
        #expect(!said.contains("kurir serve"))
    }

    @Test func `a key is shown once, works and is revoked`() async throws {
        let url = TestDatabase.current.url
        let made = try await Kurir.run(
            "gateway-key", "create", "--name", "SMS of ours", "--channel", "email,sms, email", "--database", url)
        #expect(made.code == 0 && made.complained.isEmpty)
        let key = made.said.trimmingCharacters(in: .newlines)
        #expect(made.said == key + "\n" && key.count > 40 && !key.contains(" "))
        try await Kurir.serving("--database", url, environment: ["KURIR_THROTTLE": "off"]) { kurir in
            let claim = #"{"channel":"sms","max":1,"lease_seconds":60}"#
            #expect(try await kurir.send("POST", "/v1/outbox/claim", claim, as: key).status == 200)
            let push = claim.replacingOccurrences(of: "sms", with: "push")
            #expect(try await kurir.send("POST", "/v1/outbox/claim", push, as: key).status == 403)
            let list = try await Kurir.run("gateway-key", "list", "--database", url).said
            #expect(list.contains("SMS of ours  sms,email") && !list.contains("last used never") && !list.contains(key))
            let id = String(list.prefix(36))
            let revoked = try await Kurir.run("gateway-key", "revoke", "--id", id, "--database", url)
            #expect(revoked.code == 0 && revoked.said == "The key of SMS of ours is revoked.\n")
            #expect(try await kurir.send("POST", "/v1/outbox/claim", claim, as: key).status == 401)
            #expect(try await Kurir.run("gateway-key", "revoke", "--id", id, "--database", url).code == 64)
            #expect(try await Kurir.run("gateway-key", "list", "--database", url).said.contains("revoked"))
            // Both are noted, with the key's id and never with the key.
            let audit = try await Kurir.run("audit", "--database", url).said
            for kind in ["created", "revoked"] {
                let lines = audit.split(separator: "\n").filter { $0.contains("gateway_key.\(kind)  ") }
                #expect(lines.count == 1 && lines.allSatisfy { $0.contains(id) })
            }
            #expect(!audit.contains(key))
        }
    }

    private func dated(_ end: String) -> [String] {
        ["gateway-key", "create", "--name", "x", "--channel", "sms", "--expires", end]
    }

    private func make(_ name: String) async throws {
        let made = try await Kurir.run(
            "gateway-key", "create", "--name", name, "--channel", "sms", "--database", TestDatabase.current.url)
        #expect(made.code == 0)
    }

    private func revoke(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> (code: Int32, said: String, complained: String) {
        let program = try Program(
            Kurir.path, ["gateway-key", "revoke", "--database", TestDatabase.current.url] + arguments,
            environment: environment)
        return (try await program.end(), program.said, program.complained)
    }

    /// A column of the test's own keys, oldest first.
    private func column(_ name: String, of condition: String) async throws -> [String] {
        let database = TestDatabase.current
        return try await blocking {
            try database.connect().query("SELECT \(name) FROM gateway_keys WHERE \(condition) ORDER BY created_at")
                .compactMap(\.[0])
        }
    }

    private func good() async throws -> [String] { try await column("name", of: "revoked_at IS NULL") }

    @Test func `a key is revoked by its name`() async throws {
        for name in ["ours", "theirs", "ours of old"] { try await make(name) }
        #expect(try await revoke("--name", " ours ").said == "The key of ours is revoked.\n")
        #expect(try await good() == ["theirs", "ours of old"])
        // Revoked keys are not meant, and their names may be used again.
        let again = try await revoke("--name", "ours")
        #expect(again.code == 64 && again.complained.contains("no key ours that is still good"))
        try await make("ours")
        #expect(try await revoke("--name", "ours").code == 0)
        #expect(try await good() == ["theirs", "ours of old"])
    }

    @Test func `a name of several keys revokes none`() async throws {
        for name in ["ours", "ours", "theirs"] { try await make(name) }
        let ids = try await column("id", of: "name = 'ours'")
        let refused = try await revoke("--name", "ours")
        #expect(refused.code == 64 && refused.complained.contains("2 keys that are still good are called ours"))
        #expect(ids.allSatisfy(refused.complained.contains) && refused.complained.contains("--id"))
        #expect(try await good() == ["ours", "ours", "theirs"])
        #expect(try await revoke("--id", ids[0].uppercased()).code == 0)
        #expect(try await revoke("--name", "ours").code == 0)
        #expect(try await good() == ["theirs"])
    }

    @Test func `the command line says which key is meant`() async throws {
        for name in ["ours", "theirs"] { try await make(name) }
        let id = try await column("id", of: "name = 'ours'")[0]
        // A name is never taken for an id.
        #expect(try await revoke("--name", id).code == 64)
        let both = ["KURIR_GATEWAY_KEY_ID": id, "KURIR_GATEWAY_NAME": "theirs"]
        for refused in [try await revoke("--id", id, "--name", "ours"), try await revoke(environment: both)] {
            #expect(refused.code == 64 && refused.complained.contains("exclude each other"))
        }
        #expect(try await good() == ["ours", "theirs"])
        #expect(try await revoke("--id", id, environment: both).code == 0)
        #expect(try await good() == ["theirs"])
        #expect(try await revoke("--name", "theirs", environment: both).code == 0)
        #expect(try await good().isEmpty)
    }

    @Test func `a role of a gateway has channels and an end like a key`() async throws {
        let (url, role) = (TestDatabase.current.url, "gateway_of_the_command_line")
        let words = ["--name", "ours", "--channel", "sms", "--role", role, "--expires", "2099-12-31"]
        func create() async throws -> (code: Int32, said: String, complained: String) {
            let program = try Program(Kurir.path, ["gateway-key", "create", "--database", url] + words)
            return (try await program.end(), program.said, program.complained)
        }
        let early = try await create()
        #expect(early.code == 64 && early.complained.contains("GRANT kurir_gateway TO"))
        try await blocking {
            try BlockingConnection(url: url).execute("CREATE ROLE \(role) LOGIN IN ROLE kurir_gateway")
        }
        let result = await Result {
            let made = try await create()
            #expect(made.code == 0 && made.said == "The role \(role) may take sms.\n")
            let list = try await Kurir.run("gateway-key", "list", "--database", url).said
            #expect(list.contains("ours  sms  role \(role)") && list.contains("expires 2099-12-31"))
            let claim = { (channel: String) in
                try await blocking {
                    try BlockingConnection(url: url.replacing("//kurir@", with: "//\(role)@"))
                        .query("SELECT FROM outbox_claim('\(channel)', 1, 60)")
                }
            }
            #expect(try await claim("sms").isEmpty)
            await #expect(throws: PostgresError.self) { try await claim("email") }
            #expect(try await revoke("--name", "ours").code == 0)
            await #expect(throws: PostgresError.self) { try await claim("sms") }
        }
        try await blocking { try BlockingConnection(url: url).execute("DROP ROLE \(role)") }
        try result.get()
    }

    @Test func `a key is good until the end of its last day`() async throws {
        let made = try await Kurir.run(
            "gateway-key", "create", "--name", "ours", "--channel", "sms", "--expires", "2099-12-31", "--database",
            TestDatabase.current.url)
        #expect(made.code == 0)
        #expect(try await column("expires_at = '2100-01-01'", of: "true") == ["t"])
    }

    /// Who runs the gateway may not have the key file, and must make no other.
    @Test func `a webhook without its secret is told where that comes from`() async throws {
        let program = try Program(
            Kurir.path,
            [
                "gateway", "run", "--channel", "sms", "--to", "https://127.0.0.1:9", "--database",
                "postgresql:///none?host=/nowhere",
            ])
        #expect(try await program.end() == 64)
        #expect(program.complained.contains("KURIR_WEBHOOK_SECRET") && !program.complained.contains("keys make"))
    }

    /// The database at these addresses does not answer, so asking it would fail with another code.
    @Test(arguments: [["--database", "postgresql://127.0.0.1:1/none"], ["--data-dir", "/nonexistent"]])
    func `missing or wrong options are named before the database is asked`(_ database: [String]) async throws {
        for (arguments, hint) in [
            (["gateway-key", "create", "--channel", "sms"], "--name"),
            (["gateway-key", "create", "--name", "x"], "--channel push,sms,email"),
            (["gateway-key", "create", "--name", "x", "--channel", "fax"], "must be of push,sms,email"),
            (["gateway-key", "create", "--name", "x\ny", "--channel", "sms"], "one line of 100 characters"),
            (
                [
                    "gateway-key", "create", "--name", "e" + String(repeating: "\u{301}", count: 400), "--channel",
                    "sms",
                ],
                "one line of 100 characters"
            ),
            (dated("2027-02-30"), "must be a day that is not over"), (dated("31.12.2027"), "must be a day"),
            (dated("tomorrow"), "must be a day"), (dated("2020-01-01"), "--expires is 2020-01-01, but must be a day"),
            (["gateway-key", "revoke"], "--id ID or --name NAME"),
            (["gateway-key", "revoke", "--id", "x"], "gateway-key list"),
            (["gateway", "run", "--to", "https://127.0.0.1:9"], "--channel push,sms,email"),
            (["gateway", "run", "--channel", "sms"], "--to URL of a webhook"),
            (["gateway", "run", "--channel", "sms", "--to", "fax"], "--to does not know fax"),
            (
                ["gateway", "run", "--channel", "push,sms", "--to", "https://127.0.0.1:9", "--concurrency", "0"],
                "1 to 500"
            ),
            (["gateway", "run", "--channel", "sms", "--to", "log,https://127.0.0.1:9,fax"], "--to does not know fax"),
            (
                ["gateway", "run", "--channel", "sms", "--to", "https://127.0.0.1:9", "--shutdown-grace", "x"],
                "0 to 3600"
            ),
            (["migrate", "--status=1"], "--status takes no value"),
        ] {
            let program = try Program(Kurir.path, arguments + database)
            #expect(try await program.end() == 64, "\(arguments)")
            #expect(program.complained.contains(hint), "\(program.complained)")
        }
        let status = ["KURIR_MIGRATE_STATUS": "perhaps"]
        let program = try Program(Kurir.path, ["migrate"] + database, environment: status)
        #expect(try await program.end() == 64 && program.complained.contains("true or false"))
        // With correct options it is asked.
        let right = try Program(Kurir.path, ["gateway-key", "create", "--name", "x", "--channel", "sms"] + database)
        #expect(try await right.end() == 1)
    }

    @Test func `a slip in a command is understood`() async throws {
        let slip = try await Kurir.run("gateway-key", "creat")
        #expect(slip.code == 64 && slip.complained.contains("did you mean gateway-key create?"))
    }

    /// It is shown once: a key that nobody has read is lost.
    @Test func `a key that could not be printed is no success`() async throws {
        for line in ["> /dev/full", ">&-"] {
            let made = try await Program.run("sh", ["-c", "\"$0\" --version \(line)", Kurir.path])
            #expect(made.code == EX_IOERR && made.complained.contains("could not be written"), "\(line)")
        }
    }

}
