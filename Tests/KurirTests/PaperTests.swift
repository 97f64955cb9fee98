import Foundation
import Postgres
import TestSupport
import Testing

/// Papers of couriers at a Kurir that serves: who sees them, and who does not.
@Suite(.database) struct PaperTests {
    private var url: String { TestDatabase.current.url }

    private struct Made: Decodable {
        let keys, codes: [String: String]
    }

    private func certificates() async throws -> Made {
        let now = "\(Date.now.timeIntervalSince1970)"
        let said = try await Python.run("python", [Python.root + "/Tests/Papers/certificates.py", now])
        return try JSONDecoder().decode(Made.self, from: Data(said.utf8))
    }

    private func write(_ value: some Encodable, to path: String) throws {
        try JSONEncoder().encode(value).write(to: URL(filePath: path))
    }

    private func query(_ sql: String) async throws -> [[String?]] {
        let url = url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    private func keep(_ code: String, _ token: String, _ kurir: Kurir) async throws {
        let body = String(decoding: try JSONEncoder().encode(["raw": code]), as: UTF8.self)
        let answer = try await kurir.send("POST", "/v1/me/credentials", body, as: token)
        try #require(answer.status == 201, "\(answer.body)")
    }

    private func states(_ token: String, _ kurir: Kurir) async throws -> [String] {
        try await kurir.send("GET", "/v1/me/credentials", as: token).body
            .matches(of: /"state":"([a-z_]+)"/).map { String($0.1) }
    }

    @Test func `keys and rules are read again on SIGHUP, and a wrong file changes nothing`() async throws {
        let (keys, rules) = (TemporaryDirectory.path("dcc-keys"), TemporaryDirectory.path("dcc-rules"))
        let made = try await certificates()
        try write([String: String](), to: keys)
        try Data("{}".utf8).write(to: URL(filePath: rules))
        let courier = try await Team.make().couriers[0]
        try await Kurir.serving("--database", url, "--dcc-keys", keys, "--dcc-rules", rules) { kurir in
            try await keep(try #require(made.codes["vaccination"]), courier, kurir)
            #expect(try await states(courier, kurir) == ["unverified"])
            try write(made.keys, to: keys)
            kurir.program.signal(SIGHUP)
            try await eventually { try await states(courier, kurir) == ["valid"] }
            try Data(#"{"vaccination":{"days":99}}"#.utf8).write(to: URL(filePath: rules))
            kurir.program.signal(SIGHUP)
            try await eventually { try await states(courier, kurir) == ["expired"] }
            try Data("no rules".utf8).write(to: URL(filePath: rules))
            try write([String: String](), to: keys)
            kurir.program.signal(SIGHUP)
            try await eventually { kurir.program.complained.contains("what was read before stays") }
            #expect(try await states(courier, kurir) == ["expired"])
        }
        let refused = try await Kurir.run(
            "serve", "--listen", "127.0.0.1:0", "--database", url, "--dcc-keys", keys, "--dcc-rules", rules)
        #expect(refused.code == 1 && refused.complained.contains("--dcc-rules \(rules): it must be JSON like"))
    }

    /// Without files that are read again a closed terminal ends it, as before.
    @Test func `a SIGHUP without such files ends Kurir in good order`() async throws {
        let kurir = try await Kurir.start(["--database", url])
        kurir.program.signal(SIGHUP)
        #expect(try await kurir.program.end() == 0)
    }

    /// Whoever renews keys by a clock may do so while Kurir lets what is under way finish.
    @Test func `a SIGHUP while Kurir stops breaks nothing off`() async throws {
        let keys = TemporaryDirectory.path("dcc-keys")
        try write([String: String](), to: keys)
        // Longer than a signal counts as the first one repeated.
        let kurir = try await Kurir.start(["--database", url, "--dcc-keys", keys, "--drain-seconds", "3"])
        kurir.program.signal(SIGTERM)
        while kurir.program.isRunning {
            kurir.program.signal(SIGHUP)
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await kurir.program.end() == 0)
        #expect(kurir.program.complained.contains("event=stopped"))
    }

    @Test func `nothing of a paper is in a dump, in logs, figures, feeds or what others export`() async throws {
        let made = try await certificates()
        let team = try await Team.make()
        let code = try #require(made.codes["vaccination"])
        let secrets = [
            code, String(code.dropFirst(4).prefix(40)), "Zvjezdana", "ZVJEZDANA", "Horvatin", "1987-06-05", "TAJNA",
            "EU/1/20",
            "vaccination", "Vozačka dozvola", "B-4711", "licence",
        ]
        let (log, exported, feeds, figures) = try await Kurir.serving(
            "--database", url, "--throttle", "off"
        ) { kurir in
            let courier = team.couriers[0]
            let store = try #require(
                try await kurir.send("GET", "/v1/me", as: team.store).body.firstMatch(of: /"id":"([^"]+)"/)
            ).1
            try await keep(code, courier, kurir)
            let licence = #"{"raw":"B-4711","kind":"licence","title":"Vozačka dozvola"}"#
            let kept = try await kurir.get(
                "/v1/me/credentials", "-d", licence, "-H", "Content-Type: application/json", "-H",
                "Authorization: Bearer \(courier)", "-H", "Idempotency-Key: kept")
            try #require(kept.status == 201, "\(kept.body)")
            let ids = try await kurir.send("GET", "/v1/me/credentials", as: courier).body
                .matches(of: /"id":"([^"]+)"/).map { String($0.1) }
            for id in ids {
                let shared = try await kurir.send(
                    "PATCH", "/v1/me/credentials/\(id)", #"{"shared_with":["\#(store)"]}"#, as: courier)
                #expect(shared.status == 200)
            }
            for wrong in [#"{"raw":"HC1:B-4711"}"#, #"{"raw":"B-47111"}"#, "B-4711"] {
                #expect(try await kurir.send("POST", "/v1/me/credentials", wrong, as: courier).status >= 400)
            }
            _ = try await kurir.send("GET", "/v1/partners", as: team.store)
            let own = try await kurir.send("GET", "/v1/me/export", as: courier)
            #expect(own.status == 200 && own.body.contains(ids[0]) && own.body.contains(String(store)))
            // Whose they are takes them along.
            for text in [code, "B-4711", "licence", "Vozačka dozvola"] { #expect(own.body.contains(text), "\(text)") }
            let me = try #require(
                try await kurir.send("GET", "/v1/me", as: courier).body.firstMatch(of: /"id":"([^"]+)"/)
            ).1
            let operators = try await Kurir.run("account", "export", String(me), "--as", "Maja", "--database", url)
            #expect(operators.code == 0 && operators.said.contains(ids[0]), "\(operators.complained)")
            let others = try await kurir.send("GET", "/v1/me/export", as: team.store)
            var feeds = ""
            for token in [courier, team.store] { feeds += try await kurir.send("GET", "/v1/events", as: token).body }
            return (kurir.program, operators.said + others.body, feeds, try await kurir.figures())
        }
        let file = TemporaryDirectory.path("dump")
        let dumped = try await Program.run("pg_dump", ["-d", url, "-f", file])
        try #require(dumped.code == 0, "\(dumped.complained)")
        let dump = try String(contentsOfFile: file, encoding: .utf8)
        let rows = try await query("SELECT count(*), count(DISTINCT sealed) FROM credentials")
        #expect(rows == [["2", "2"]] && log.complained.contains("/v1/me/credentials"))
        for secret in secrets {
            // What is scanned is in the dump neither as text nor as bytes; `licence` is a kind that stores may want.
            let hexadecimal = Data(secret.utf8).map { String(format: "%02x", $0) }.joined()
            #expect(secret == "licence" || !dump.contains(secret), "\(secret)")
            #expect(!dump.contains(hexadecimal), "\(secret)")
            for text in [log.complained, log.said, exported, feeds, figures] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test func `papers stay readable when the key outside the database is replaced`() async throws {
        let file = TemporaryDirectory.path("kurir.key")
        try FileManager.default.copyItem(atPath: Kurir.keyFile, toPath: file)
        let courier = try await Team.make().couriers[0]
        let made = try await certificates()
        try await Kurir.serving("--database", url, "--key-file", file) { kurir in
            try await keep(try #require(made.codes["recovery"]), courier, kurir)
        }
        #expect(try await Kurir.run("keys", "make", file, environment: ["KURIR_KEY_FILE": ""]).code == 0)
        let rotated = try await Kurir.run("keys", "rotate", "--database", url, "--key-file", file)
        #expect(rotated.code == 0, "\(rotated.complained)")
        // The former key is gone for good.
        let newest = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")[0]
        try Data("\(newest)\n".utf8).write(to: URL(filePath: file))
        try await Kurir.serving("--database", url, "--key-file", file) { kurir in
            let list = try await kurir.send("GET", "/v1/me/credentials", as: courier)
            #expect(list.body.contains("Zvjezdana") && list.body.contains("unverified"))
        }
    }
}
