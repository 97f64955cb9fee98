import Foundation
import Postgres
import TestSupport
import Testing

/// What operators see, and nobody else.
@Suite(.database) struct AdminTests {
    private var url: String { TestDatabase.current.url }

    @Test func `figures and details are at an address of their own`() async throws {
        try await Kurir.serving("--database", url) { kurir in
            #expect(try await kurir.get("/metrics").status == 404)
            let figures = try await kurir.figures()
            #expect(figures.contains("kurir_ready 1\n") && figures.contains("kurir_build_info"))
            let began = try #require(figures.firstMatch(of: /\nprocess_start_time_seconds ([0-9.e+]+)\n/)?.1)
            #expect(abs((Double(began) ?? 0) - Date().timeIntervalSince1970) < 600)
            let bare = try await kurir.get("/readyz")
            #expect(bare == (200, #"{"status":"ready"}"#))
            let details = try await kurir.get("/readyz", at: kurir.admin)
            #expect(details.status == 200 && details.body.contains(#""database":"ready""#))
            #expect(try await kurir.get("/v1/lifecycle", at: kurir.admin).status == 404)
        }
    }

    @Test func `what became of messages of conversations is counted`() async throws {
        try await Kurir.serving("--database", url, "--throttle", "off") { kurir in
            let people = try await Team.make(on: kurir)
            let me = try await kurir.send("GET", "/v1/me", nil, as: people.couriers[0])
            let courier = try #require(me.body.firstMatch(of: /"id":"([^"]+)"/)).1
            let begun = try await kurir.send("PUT", "/v1/conversations/with/\(courier)", "{}", as: people.store)
            let path = "/v1/conversations/" + (try #require(begun.body.firstMatch(of: /"id":"([^"]+)"/)).1)
            func say(as token: String) async throws -> Int {
                try await kurir.send("POST", path + "/messages", #"{"text":"Bok"}"#, as: token).status
            }
            for token in [people.store, people.couriers[0]] { #expect(try await say(as: token) == 201) }
            _ = try await kurir.send("PATCH", path, #"{"blocked":true}"#, as: people.couriers[0])
            #expect(try await say(as: people.store) == 403)
            // A stranger's is nobody's message.
            #expect(try await say(as: people.couriers[1]) == 404)
            let figures = try await kurir.figures()
            for (outcome, count) in [("sent", 2), ("refused", 1), ("failed", 0), ("turned_away", 0)] {
                #expect(figures.contains("kurir_conversation_messages_total{outcome=\"\(outcome)\"} \(count)\n"))
            }
        }
    }

    @Test func `an address for operators that was asked for must be free`() async throws {
        try await Kurir.serving("--database", url) { kurir in
            let taken = try await String(kurir.admin.dropFirst("http://".count))
            let second = try await Kurir.run(
                "serve", "--listen", "127.0.0.1:0", "--admin-listen", taken, "--database", url)
            #expect(second.code == 1)
            #expect(second.complained.contains("cannot listen on \(taken)"))
            #expect(second.complained.contains("--admin-listen"))
            // Nor is a database touched by one that cannot start.
            try await TestDatabase.withAnother { empty in
                let third = try await Kurir.run(
                    "serve", "--listen", "127.0.0.1:0", "--admin-listen", taken, "--database", empty.url)
                #expect(third.code == 1)
                let tables = try await blocking {
                    try empty.connect().query("SELECT FROM pg_tables WHERE schemaname = 'public'")
                }
                #expect(tables.isEmpty)
            }
        }
    }

    /// At most one of the two can have it, and each other program on this machine may have it, too.
    @Test func `a node does without the usual address for operators where it is taken`() async throws {
        let nodes = try await [startUsual(), startUsual()]
        for node in nodes { #expect(try await node.get("/readyz").status == 200) }
        try await eventually { nodes.contains { $0.program.complained.contains("admin=off") } }
        #expect(
            nodes.contains {
                $0.program.complained.contains(/trouble what="[^"]*cannot listen on 127.0.0.1:9464/)
            })
        for node in nodes {
            node.program.signal(SIGTERM)
            #expect(try await node.program.end() == 0)
        }
    }

    private func startUsual() async throws -> Kurir {
        let kurir = Kurir(
            program: try Program(
                Kurir.path, ["serve", "--listen", "127.0.0.1:0", "--database", url, "--key-file", Kurir.keyFile]))
        try await eventually { !kurir.program.isRunning || kurir.program.said.hasSuffix("\n") }
        return kurir
    }

    @Test func `nobody is told anything where there is no address for operators`() async throws {
        try await Kurir.serving("--database", url, "--admin-listen", "off") { kurir in
            try await eventually { kurir.program.complained.contains("admin=off") }
            #expect(try await kurir.get("/metrics").status == 404)
        }
    }

    @Test func `a command says whether the node is ready, by its exit code`() async throws {
        let url = url
        let address = try await Kurir.serving("--database", url) { kurir in
            let admin = try await String(kurir.admin.dropFirst("http://".count))
            let ready = try await Kurir.run("health", environment: ["KURIR_ADMIN_LISTEN": admin])
            #expect(ready.code == 0 && ready.said.contains(#""status":"ready""#))
            let listen = String(kurir.address.dropFirst("http://".count))
            let bare = try await Kurir.run("health", "--admin-listen", "off", "--listen", listen)
            #expect(bare.code == 0 && bare.said == "{\"status\":\"ready\"}\n")
            let database = TestDatabase.current
            try await blocking { try database.connect().execute("DELETE FROM schema_functions") }
            let outdated = try await Kurir.run("health", "--admin-listen", admin)
            #expect(outdated.code == 1 && outdated.said.contains("outdated"))
            return admin
        }
        let gone = try await Kurir.run("health", "--admin-listen", address)
        #expect(gone.code == 1 && gone.complained.contains("does not answer"))
    }

    /// Whoever spreads requests over nodes must see it before connections are refused.
    @Test func `a node that is about to stop says so first, and serves on meanwhile`() async throws {
        let kurir = try await Kurir.start(["--database", url, "--drain-seconds", "300"])
        kurir.program.signal(SIGTERM)
        try await eventually { try await kurir.get("/readyz").status == 503 }
        #expect(try await kurir.get("/v1/lifecycle").status == 200)
        let details = try await kurir.get("/readyz", at: kurir.admin)
        #expect(details.status == 503 && details.body.contains(#""status":"leaving""#))
        #expect(try await kurir.figures().contains("kurir_ready 0\n"))
        // A second signal means now.
        try await eventually {
            kurir.program.signal(SIGTERM)
            return !kurir.program.isRunning
        }
    }
}
