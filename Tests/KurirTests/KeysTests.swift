import Foundation
import Postgres
import TestSupport
import Testing

/// The keys outside the database.
@Suite(.database) struct KeysTests {
    private var url: String { TestDatabase.current.url }
    private let none = ["KURIR_KEY_FILE": ""]

    private func newFile() async throws -> String {
        let file = TemporaryDirectory.path("kurir.key")
        #expect(try await Kurir.run("keys", "make", file, environment: none).code == 0)
        return file
    }

    private func query(_ sql: String) async throws -> [[String?]] {
        let url = url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    private func webhookSecret(_ file: String) async throws -> (code: Int32, said: String, complained: String) {
        try await Kurir.run("gateway", "secret", "--database", url, "--key-file", file)
    }

    @Test func `a database of one's own wants a key file, and the one that it knows`() async throws {
        let without = try await Kurir.run("serve", "--database", url, environment: none)
        #expect(without.code == 64 && without.complained.contains("kurir keys make"))
        let file = try await newFile()
        try await Kurir.serving("--database", url, "--key-file", file) { kurir in
            let answer = try await kurir.get("/readyz")
            #expect(answer.status == 200)
        }
        let other = try await newFile()
        let refused = try await Kurir.run("serve", "--listen", "127.0.0.1:0", "--database", url, "--key-file", other)
        #expect(refused.code == 1 && refused.complained.contains("is sealed with the key"))
        let missing = try await Kurir.run("serve", "--database", url, "--key-file", file + ".none")
        #expect(missing.code == 1 && missing.complained.contains(file + ".none"))
    }

    @Test func `a key that everybody reads is refused, and so is what is no key`() async throws {
        let file = try await newFile()
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        chmod(file, 0o644)
        let open = try await webhookSecret(file)
        #expect(open.code == 1 && open.complained.contains("chmod o="))
        try Data("no key\n".utf8).write(to: URL(fileURLWithPath: file))
        chmod(file, 0o600)
        let bad = try await webhookSecret(file)
        #expect(bad.code == 1 && bad.complained.contains("is no key file (--key-file)"))
    }

    @Test func `a key file that cannot be made is refused with what to do`() async throws {
        let nowhere = try await Kurir.run("keys", "make", "/nowhere/kurir.key", environment: none)
        #expect(nowhere.code == 1 && nowhere.complained.contains("name one where you may write"))
        #expect(!nowhere.complained.contains(".new"))
        let directory = try await Kurir.run("keys", "make", "/etc", environment: none)
        #expect(directory.code == 1 && directory.complained.contains("/etc is no key file"))
        let file = try await newFile()
        try Data().write(to: URL(fileURLWithPath: file + ".new"))
        let leftOver = try await Kurir.run("keys", "make", file, environment: none)
        #expect(leftOver.code == 1 && leftOver.complained.contains("\(file).new is in the way"))
    }

    /// Requests go on, and no node is started anew.
    @Test func `what is secret is sealed anew while requests run`() async throws {
        let (file, former) = (TemporaryDirectory.path("kurir.key"), Kurir.keyFile)
        try FileManager.default.copyItem(atPath: former, toPath: file)
        let people = try await Team.make()
        try await Kurir.serving("--database", url, "--key-file", file, "--throttle", "off") { kurir in
            let phone = #"{"phone":"091 234 5678"}"#
            let first = try await kurir.send("POST", "/v1/invites", phone, as: people.store)
            let before = try await webhookSecret(file).said
            #expect(try await Kurir.run("keys", "make", file, environment: none).code == 0)
            let load = try Program("ab", ["-q", "-n", "300", "-c", "4", kurir.address + "/readyz"])
            let rotated = try await Kurir.run("keys", "rotate", "--database", url, "--key-file", file)
            #expect(rotated.code == 0 && rotated.said.contains("is sealed with the key"))
            try await load.end()
            #expect(load.said.contains("Failed requests:        0") && !load.said.contains("Non-2xx"))
            // The code follows from the secret, which is the same as before.
            let again = try await kurir.send("POST", "/v1/invites", phone, as: people.store)
            #expect(first.status == 201 && again.status == 200 && first.body == again.body)
            #expect(try await webhookSecret(file).said == before)
        }
        let outdated = try await webhookSecret(former)
        #expect(outdated.code == 1 && outdated.complained.contains("is sealed with the key"))
        let twice = try await Kurir.run("keys", "rotate", "--database", url, "--key-file", file)
        #expect(twice.code == 0 && twice.said.contains("already"))
        #expect(try await query("SELECT count(*) FROM audit WHERE kind = 'keys.rotated'") == [["1"]])
    }

    @Test func `a database from before keys is read as it is, and sealed on command`() async throws {
        _ = try await query("INSERT INTO server_secret (secret) VALUES (sha256('before'))")
        _ = try await query("UPDATE schema_least SET migration = 14")
        let file = try await newFile()
        let before = try await webhookSecret(file).said
        try await Kurir.serving("--database", url, "--key-file", file) { kurir in
            #expect(kurir.program.complained.contains("kurir keys adopt"))
            let rotated = try await Kurir.run("keys", "rotate", "--database", url, "--key-file", file)
            #expect(rotated.code == 1 && rotated.complained.contains("kurir keys adopt"))
            let adopted = try await Kurir.run("keys", "adopt", "--database", url, "--key-file", file)
            #expect(adopted.code == 0)
            #expect(try await query("SELECT secret FROM server_secret") == [[nil]])
            let noted = try await query(
                "SELECT detail->>'key' = (SELECT sealed_by FROM server_secret) FROM audit WHERE kind = 'keys.adopted'")
            #expect(noted == [["t"]])
            #expect(try await kurir.get("/readyz").status == 200)
        }
        #expect(before.hasPrefix("whsec_"))
        #expect(try await webhookSecret(file).said == before)
        // A Kurir of before would not find its secret, and does not start any more.
        let least = try await query("SELECT migration = (SELECT max(number) FROM schema_migrations) FROM schema_least")
        #expect(least == [["t"]])
    }

    @Test func `a database of Kurir's own has its key beside it, and does not start without`() async throws {
        let directory = TemporaryDirectory.path("data")
        let file = directory + "/kurir.key"
        try await Kurir.serving("--data-dir", directory, environment: none) { _ in
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            let secret = try await Kurir.run("gateway", "secret", "--data-dir", directory, environment: none)
            #expect(secret.code == 0)
        }
        try FileManager.default.moveItem(atPath: file, toPath: file + ".kept")
        let refused = try await Kurir.run(
            "serve", "--listen", "127.0.0.1:0", "--data-dir", directory, environment: none)
        #expect(refused.code == 1 && refused.complained.contains("\(file) is gone"))
        #expect(!FileManager.default.fileExists(atPath: file))
        try FileManager.default.moveItem(atPath: file + ".kept", toPath: file)
        try await Kurir.serving("--data-dir", directory, environment: none) { kurir in
            let answer = try await kurir.get("/readyz")
            #expect(answer.status == 200)
        }
    }
}
