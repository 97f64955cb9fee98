import Foundation
import Postgres
import TestSupport
import Testing

/// The process as a whole, from outside.
@Suite struct ServeTests {
    @Test func `one command serves on a database of its own and stops when told`() async throws {
        let directory = TemporaryDirectory.path("data")
        let kurir = try await Kurir.start(["--data-dir", directory])
        #expect(kurir.program.said.split(separator: "\n").count == 1)
        #expect(try await kurir.get("/healthz") == (200, #"{"status":"ok"}"#))
        #expect(try await kurir.get("/readyz") == (200, #"{"status":"ready"}"#))

        let second = try await Kurir.run("serve", "--listen", "127.0.0.1:0", "--data-dir", directory)
        #expect(second.code == 1)
        #expect(second.complained.contains("process \(kurir.program.number) serves from"))

        let status = try await Kurir.run("migrate", "--status", "--data-dir", directory)
        #expect(status.code == 0)
        #expect(status.said.contains("0001_foundation.sql  applied 20"))

        kurir.program.signal(SIGTERM)
        #expect(try await kurir.program.end() == 0)
        #expect(kurir.program.complained.contains("info event=stopped"))
        #expect(!FileManager.default.fileExists(atPath: directory + "/postgres/postmaster.pid"))
    }

    /// Nothing that is read later needs root.
    @Test(.enabled(if: getuid() == 0, "only root has something to give up"))
    func `root is given up before the first request`() async throws {
        let directory = TemporaryDirectory.path("data")
        try await Kurir.serving("--data-dir", directory) { kurir in
            let status = try String(contentsOfFile: "/proc/\(kurir.program.number)/status", encoding: .utf8)
            let lines = status.split(separator: "\n")
            let user = try #require(getpwnam("postgres")).pointee.pw_uid
            #expect(lines.contains("Uid:\t\(user)\t\(user)\t\(user)\t\(user)"))
            // What is left is to listen on low ports.
            #expect(lines.contains("CapEff:\t0000000000000400") && lines.contains("CapPrm:\t0000000000000400"))
            #expect(try FileManager.default.attributesOfItem(atPath: directory)[.ownerAccountID] as? UInt32 == user)
            let answer = try await kurir.get("/readyz")
            #expect(answer.status == 200)
        }
        try await Kurir.serving("--data-dir", TemporaryDirectory.path("above") + "/made/with") { kurir in
            let answer = try await kurir.get("/readyz")
            #expect(answer.status == 200)
        }
        let hidden = TemporaryDirectory.path("hidden")
        try FileManager.default.createDirectory(
            atPath: hidden, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let refused = try await Kurir.run("serve", "--listen", "127.0.0.1:0", "--data-dir", hidden + "/data")
        #expect(refused.code == 1 && refused.complained.contains("gives root up"))
        #expect(!FileManager.default.fileExists(atPath: hidden + "/data"))
        for name in ["letters", ".config"] {
            let others = TemporaryDirectory.path("others")
            try FileManager.default.createDirectory(atPath: others + "/" + name, withIntermediateDirectories: true)
            let kept = try await Kurir.run("serve", "--listen", "127.0.0.1:0", "--data-dir", others)
            #expect(kept.code == 1 && kept.complained.contains("full of other things"))
            #expect(kept.complained.contains("--data-dir"))
            #expect(try FileManager.default.attributesOfItem(atPath: others)[.ownerAccountID] as? UInt32 == getuid())
        }
    }

    @Test func `a trial leaves nothing behind`() async throws {
        let kurir = try await Kurir.start(["--demo"])
        let log = kurir.program.complained
        let start = try #require(log.range(of: "/tmp/kurir-demo-"))
        let directory = String(log[start.lowerBound...].prefix { $0 != "\"" })
        #expect(FileManager.default.fileExists(atPath: directory))
        // It says who can sign in, and somebody works. This takes a while: passwords are hashed below the priority of
        // all else.
        try await eventually(within: .seconds(1500)) { kurir.program.said.contains("courier  +385") }
        #expect(kurir.program.said.contains("password: kurir vozi svaki dan"))
        try await eventually(within: .seconds(1000)) {
            try await kurir.figures().contains(#"route="/v1/deliveries/{id}/accept",status="200"} "#)
        }
        // What they ask for does not push whom to sign in as off the screen.
        #expect(!kurir.program.complained.contains(/event=(request|security)/))
        kurir.program.signal(SIGINT)
        #expect(try await kurir.program.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: directory))

        // Nor does one that is broken off while it is filled.
        let options = ["serve", "--demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]
        let hasty = try Program(Kurir.path, options)
        try await eventually(within: .seconds(300)) { hasty.complained.contains("of the demo's history") }
        let place = try #require(hasty.complained.range(of: "/tmp/kurir-demo-"))
        let unfinished = String(hasty.complained[place.lowerBound...].prefix { $0 != "\"" })
        while hasty.isRunning {
            hasty.signal(SIGINT)
            try await Task.sleep(for: .milliseconds(1100))
        }
        #expect(!FileManager.default.fileExists(atPath: unfinished))

        // Nor one that cannot be filled, since its database died.
        let ill = try Program(Kurir.path, options)
        try await eventually(within: .seconds(300)) { ill.complained.contains("of the demo's history") }
        let bed = try #require(ill.complained.range(of: "/tmp/kurir-demo-"))
        let failed = String(ill.complained[bed.lowerBound...].prefix { $0 != "\"" })
        let server = try String(contentsOfFile: failed + "/postgres/postmaster.pid", encoding: .utf8)
        kill(try #require(pid_t(server.prefix { $0 != "\n" })), SIGKILL)
        #expect(try await ill.end() == 1)
        #expect(!FileManager.default.fileExists(atPath: failed))

        // The same holds if there is no PostgreSQL to run, which is hidden from this one process.
        let before = try trials()
        let shell = try Program(
            "unshare",
            ["-m", "sh", "-c", "mount -t tmpfs none /usr/lib/postgresql && exec '\(Kurir.path)' serve --demo"])
        #expect(try await shell.end() == 1)
        #expect(shell.complained.contains("PostgreSQL"))
        #expect(try trials().subtracting(before).isEmpty)
    }

    private func trials() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: "/tmp").filter { $0.hasPrefix("kurir-demo-") })
    }

    @Test(.database) func `an address that is taken is named before a database is changed`() async throws {
        let url = TestDatabase.current.url
        try await Kurir.serving("--database", url) { kurir in
            let address = String(kurir.address.dropFirst("http://".count))
            try await TestDatabase.withAnother { empty in
                let second = try await Kurir.run("serve", "--listen", address, "--database", empty.url)
                #expect(second.code == 1)
                #expect(second.complained.contains("cannot listen on \(address)"))
                #expect(second.complained.contains("--listen"))
                #expect(try await tables(of: empty).isEmpty)
            }
        }
    }

    @Test(.database, arguments: ["--key-file", "--dcc-keys", "--dcc-rules"])
    func `a file that is none is named before a database is changed`(option: String) async throws {
        let keys = TemporaryDirectory.path("dcc-keys")
        try Data("{}".utf8).write(to: URL(filePath: keys))
        try await TestDatabase.withAnother { empty in
            let refused = try await Kurir.run(
                "serve", "--listen", "127.0.0.1:0", "--database", empty.url, option, "/nowhere/to/be/found",
                environment: option == "--dcc-rules" ? ["KURIR_DCC_KEYS": keys] : [:])
            #expect(refused.code != 0 && refused.complained.contains("/nowhere/to/be/found"))
            #expect(refused.complained.contains(option))
            #expect(try await tables(of: empty).isEmpty)
        }
    }

    /// An upgrade that is begun with the keys of another database would leave nodes that serve nobody.
    @Test(.database) func `keys of another database are refused before it is changed`() async throws {
        try await TestDatabase.withAnother { older in
            _ = try await blocking {
                let connection = try older.connect()
                _ = try connection.query("CREATE TABLE server_secret (secret bytea, sealed bytea, sealed_by text)")
                return try connection.query("INSERT INTO server_secret VALUES (NULL, '\\x00', 'elsewhere')")
            }
            let refused = try await Kurir.run("serve", "--listen", "127.0.0.1:0", "--database", older.url)
            #expect(refused.code == 1 && refused.complained.contains("elsewhere"))
            #expect(try await tables(of: older) == ["server_secret"])
        }
    }

    private func tables(of database: TestDatabase) async throws -> [String?] {
        try await blocking {
            try database.connect().query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").map { $0[0] }
        }
    }

    @Test(.database) func `the log has a line for each request`() async throws {
        let url = TestDatabase.current.url
        let log = try await Kurir.serving("--database", url, "--log-format", "json") { kurir in
            _ = try await kurir.get("/healthz", "-H", "X-Request-Id: one")
            _ = try await kurir.get("/nowhere/secret", "-H", "X-Request-Id: two")
            _ = try await kurir.get("/readyz", "-X", "DELETE", "-H", "X-Request-Id: three")
            try await eventually { kurir.program.complained.contains("three") }
            return kurir.program.complained
        }
        let lines = try log.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let requests = lines.filter { $0["event"] as? String == "request" }
        #expect(requests.map { $0["request_id"] as? String } == ["one", "two", "three"])
        #expect(requests.map { $0["route"] as? String } == ["/healthz", "-", "-"])
        #expect(requests.map { $0["status"] as? Int } == [200, 404, 405])
        #expect(requests.allSatisfy { ($0["duration_ms"] as? Double ?? -1) >= 0 })
        #expect(!log.contains("secret"))
    }

    @Test(.database) func `metrics count by route and never by path`() async throws {
        try await Kurir.serving("--database", TestDatabase.current.url) { kurir in
            for _ in 0..<3 { _ = try await kurir.get("/readyz") }
            _ = try await kurir.get("/made/up", "-X", "BREW")
            let text = try await kurir.figures()
            #expect(text.contains(#"kurir_http_requests_total{method="GET",route="/readyz",status="200"} 3"#))
            #expect(text.contains(#"kurir_http_requests_total{method="other",route="none",status="404"} 1"#))
            #expect(
                text.contains(
                    #"kurir_http_request_duration_seconds_bucket{method="GET",route="/readyz",le="+Inf"} 3"#))
            #expect(!text.contains("made") && !text.contains("BREW"))
            for name in [
                "kurir_http_connections 0", "kurir_http_bytes_waiting 0", "kurir_http_connections_cut_off_total 0",
                "kurir_database_connections", "kurir_database_wait_seconds_total",
                "kurir_loop_turn_seconds_count", "process_resident_memory_bytes", "kurir_ready 1",
            ] {
                #expect(text.contains(name))
            }
        }
    }

    @Test(.emptyDatabase) func `nodes that start together migrate once`() async throws {
        let url = TestDatabase.current.url
        let nodes = try await withThrowingTaskGroup(of: Kurir.self) { group in
            for _ in 0..<3 { group.addTask { try await Kurir.start(["--database", url]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let applied = nodes.map { $0.program.complained.contains("applied migration 0001_foundation.sql") }
        #expect(applied.count { $0 } == 1)
        for node in nodes {
            #expect(try await node.get("/readyz").status == 200)
            node.program.signal(SIGTERM)
            #expect(try await node.program.end() == 0)
        }
    }

    @Test(.database, arguments: ["schema_migrations", "schema_functions"])
    func `a database that is not up to date is not ready`(_ table: String) async throws {
        try await Kurir.serving("--database", TestDatabase.current.url) { kurir in
            let database = TestDatabase.current
            try await blocking { try database.connect().execute("DELETE FROM \(table)") }
            let answer = try await kurir.get("/readyz")
            #expect(answer.status == 503 && !answer.body.contains("migrat"))
            let details = try await kurir.get("/readyz", at: kurir.admin)
            #expect(details.status == 503 && details.body.contains(#""database":"outdated""#))
            #expect(try await kurir.get("/healthz").status == 200)
        }
    }

    @Test func `a process that cannot start says why`() async throws {
        let noDatabase = try await Kurir.run("serve", "--database", "postgresql://kurir:hush@127.0.0.1:1/none")
        #expect(noDatabase.code == 1 && noDatabase.complained.contains("is --database (DATABASE_URL)"))
        #expect(noDatabase.complained.contains("kurir: "))
        #expect(!noDatabase.complained.contains("hush"))
        let noCommand = try await Kurir.run("sevre")
        #expect(noCommand.code == 64)
        #expect(noCommand.complained.contains("did you mean serve?"))
        #expect(try await Kurir.run("--version").said.hasPrefix("kurir "))
        #expect(try await Kurir.run("migrate", "--data-dir", "/nonexistent").complained.contains("kurir serve"))
    }

    @Test(.database) func `a log that nobody reads holds up neither requests nor the end`() async throws {
        let url = TestDatabase.current.url
        let pipe = Pipe()
        let kurir = try await Kurir.start(["--database", url], errors: pipe.fileHandleForWriting.fileDescriptor)
        let load = try Program("ab", ["-q", "-k", "-n", "5000", "-c", "8", kurir.address + "/healthz"])
        #expect(try await load.end() == 0)
        kurir.program.signal(SIGTERM)
        #expect(try await kurir.program.end() == 0)
        try pipe.fileHandleForReading.close()
    }

    @Test(arguments: ["--listen", "--admin-listen"])
    func `a host that is not there is refused by its option`(_ option: String) async throws {
        let other = option == "--listen" ? ["--admin-listen", "off"] : ["--listen", "127.0.0.1:0"]
        let refused = try Program(Kurir.path, ["serve", "--demo", option, "host.invalid:0"] + other)
        #expect(try await refused.end() == 1)
        #expect(refused.complained.contains("no address is known for host.invalid"), "\(refused.complained)")
        #expect(refused.complained.contains("with \(option)"))
    }

    @Test(arguments: ["/proc/none/data", "/etc/hostname"])
    func `a data directory that cannot be is refused by its option`(_ directory: String) async throws {
        let refused = try await Kurir.run(
            "serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--data-dir", directory)
        #expect(refused.code == 1 && refused.complained.contains("the data directory \(directory) cannot be used ("))
        #expect(refused.complained.contains("by --data-dir"))
    }

    /// Whoever mends the option and starts again finds nothing of the first try, in whosever name that was.
    @Test(arguments: [
        ("--listen", ["host.invalid:0"]), ("--admin-listen", ["host.invalid:0"]), ("--key-file", ["/nowhere"]),
        ("--key-file", ["/etc"]), ("--dcc-keys", ["/nowhere"]), ("--dcc-keys", ["/etc/hostname"]),
        ("--map-attribution", ["x"]), ("--ca", ["/nowhere"]), ("--loops", ["0"]),
        ("--fcm-key", ["/nowhere", "--gateway", "push=fcm"]),
        ("--tls-cert", ["/nowhere", "--tls-key", "/nowhere", "--public-url", "https://localhost"]),
    ])
    func `a start that is refused leaves no data directory behind`(_ option: String, _ given: [String]) async throws {
        let above = TemporaryDirectory.path("above")
        let usual = [["--listen", "127.0.0.1:0"], ["--admin-listen", "off"]].filter { $0[0] != option }.joined()
        let refused = try Program(
            "timeout", ["60", Kurir.path, "serve", "--data-dir", above + "/data"] + usual + [option] + given)
        #expect([1, 64].contains(try await refused.end()))
        #expect(refused.complained.contains(option), "\(refused.complained)")
        #expect(!FileManager.default.fileExists(atPath: above))
    }

    @Test(.database) func `a port in use is refused`() async throws {
        let url = TestDatabase.current.url
        try await Kurir.serving("--database", url) { kurir in
            let port = kurir.address.split(separator: ":").last ?? ""
            let second = try await Kurir.run("serve", "--database", url, "--listen", "127.0.0.1:\(port)")
            #expect(second.code == 1)
            #expect(second.complained.contains("Address already in use"))
        }
    }
}
