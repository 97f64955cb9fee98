import Curl
import EventLoop
import Glibc
import HTTP
import Postgres
import TestSupport
import Testing

@testable import kurir

/// `kurir simulate` against `kurir serve`, as people run them.
@Suite(.database, .timeLimit(.minutes(30))) struct SimulateTests {
    /// What every delivery went through, by the order of creation and by people's names.
    private static let told = """
        SELECT d.place, h.seq, h.action, h.status, coalesce(s.email, c.phone), h.reason, d.description
        FROM (SELECT *, row_number() OVER (ORDER BY created_at, id) AS place FROM deliveries) d
        JOIN delivery_history h ON h.delivery_id = d.id
        LEFT JOIN stores s ON s.id = h.actor_id LEFT JOIN couriers c ON c.id = h.actor_id
        ORDER BY d.place, h.seq
        """

    private func play(
        _ arguments: [String], on database: TestDatabase, _ serve: [String: String] = [:]
    ) async throws -> (code: Int32, said: String, complained: String) {
        let surroundings = ["KURIR_THROTTLE": "off"].merging(serve) { $1 }
        return try await Kurir.serving("--database", database.url, environment: surroundings) { kurir in
            let program = try Program(Kurir.path, ["simulate", "--server", kurir.address] + arguments)
            let code = try await program.end()
            return (code, program.said, program.complained)
        }
    }

    private func answer(of reply: (status: Int, body: String)) throws -> JSON {
        try #require(JSON(Array(reply.body.utf8)))
    }

    private func query(_ sql: String, _ url: String) async throws -> [[String?]] {
        try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    @Test func `a seed tells one story on every server, and the server keeps to it`() async throws {
        let story = ["--seed", "7", "--stores", "2", "--couriers", "7", "--days", "2"]
        let first = try await play(story, on: .current)
        #expect(first.code == 0, "\(first.said)\(first.complained)")
        #expect(first.said.contains("every step, list, history and feed is as it should be"))
        let histories = try await query(Self.told, TestDatabase.current.url)
        #expect(histories.count > 60)
        for (rule, sql) in Invariants.ofDeliveries {
            #expect(try await query(sql, TestDatabase.current.url) == [], "\(rule)")
        }
        // What was handed over was shown, too: with pictures, by where it was, and by who took it.
        let shown = """
            SELECT EXISTS (SELECT FROM delivery_history WHERE action = 'deliver' AND received_by IS NOT NULL),
                bool_and(h.lat IS NOT NULL), bool_or(f.id IS NOT NULL)
            FROM delivery_history h LEFT JOIN files f USING (delivery_id, seq) WHERE h.action = 'deliver'
            """
        #expect(try await query(shown, TestDatabase.current.url) == [["t", "t", "t"]])
        let elsewhere = try await TestDatabase.withAnother { another in
            let played = try await play(story, on: another, ["KURIR_LOOPS": "2"])
            return (code: played.code, histories: try await query(Self.told, another.url))
        }
        #expect(elsewhere.code == 0 && elsewhere.histories == histories)
        // Its people are there already.
        let again = try await play(story, on: .current)
        #expect(again.code == 1 && again.complained.contains("take another --seed"))
    }

    @Test(arguments: [
        ("event_journal", "types[1] = 'delivery.declined'", "RETURN NULL", "too rarely"),
        ("delivery_history", "action = 'deliver'", "NEW.action := 'decline'; RETURN NEW", "its history is"),
        ("jobs", "status = 'in_progress'", "RETURN NULL", "as it should not"),
    ])
    func `a server that does not keep to the story is found out`(
        _ table: String, _ row: String, _ spoil: String, _ complaint: String
    ) async throws {
        let url = TestDatabase.current.url
        try await blocking {
            let connection = try BlockingConnection(url: url)
            try connection.execute(
                """
                CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(spoil); END $$;
                CREATE TRIGGER spoil BEFORE INSERT ON \(table) FOR EACH ROW WHEN (NEW.\(row)) EXECUTE FUNCTION spoil()
                """)
        }
        let spoiled = try await play(["--stores", "2", "--couriers", "6", "--days", "2"], on: .current)
        #expect(spoiled.code == 1 && spoiled.said.contains(complaint), "\(spoiled)")
    }

    @Test func `only a demo can be told when something happened`() async throws {
        let story = ["--past", "--stores", "1", "--couriers", "6"]
        let refused = try await play(story, on: .current)
        #expect(refused.code == 1 && refused.complained.contains("only a demo"), "\(refused)")

        try await Kurir.serving("--demo", environment: ["KURIR_THROTTLE": "off"]) { kurir in
            let program = try Program(
                Kurir.path, ["simulate", "--server", kurir.address, "--days", "5"] + story)
            #expect(try await program.end() == 0, "\(program.said)\(program.complained)")
            let form = #"{"email":"pekara.1@example.com","password":"kurir vozi svaki dan"}"#
            let token = try #require(try await answer(of: kurir.send("POST", "/v1/sessions", form))["token"]?.text)
            let figures = try await answer(of: kurir.send("GET", "/v1/stats", as: token))
            #expect(figures.list("days").count { $0["created"]?.number ?? 0 > 0 } >= 4)
            // Some were due, and came in time or late, by the time of the story.
            let over = try await answer(of: kurir.send("GET", "/v1/deliveries?status=delivered&limit=200", as: token))
            let due = over.list("items").compactMap { item -> Bool? in
                guard let due = item["due_at"]?.text, let at = item["delivered_at"]?.text else { return nil }
                return at <= due
            }
            #expect(due.contains(true) && due.contains(false), "\(due)")
            let ahead = try await kurir.get(
                "/v1/deliveries/01a1fc35-081c-7c93-9601-9d67685da334/cancel", "-X", "POST", "-H",
                "Authorization: Bearer \(token)", "-H", "Kurir-Time: 32503680000000")
            #expect(ahead.status == 400 && ahead.body.contains("Kurir-Time"))
        }
    }

    @Test(arguments: [
        (["--server", "example.com"], "http://HOST:PORT"), (["--server", "http://h/path"], "http://HOST:PORT"),
        (["--seed", "-1"], "a number from 0"), (["--stores", "0"], "a number from 1 to 100"),
        (["--couriers", "many"], "a number from 1 to 1000"), (["--days", "366"], "a number from 1 to 365"),
        (["--speed", "0"], "a number from 1 to 100000"), (["--past", "--speed", "60"], "exclude each other"),
        (["--sed", "1"], "did you mean --seed?"),
    ])
    func `a wrong option is refused with what to write instead`(_ arguments: [String], _ hint: String) throws {
        #expect {
            _ = try SimulateCommand(
                GivenSettings(Command.simulate.options, arguments: arguments, environment: [:], command: "simulate"))
        } throws: {
            "\($0)".contains(hint)
        }
    }

    @Test func `a server that is busy at first is waited for`() async throws {
        // Its first answer asks for longer than one that is not there is waited for.
        let server = try Program(
            "python3",
            [
                "-u", "-c",
                """
                import http.server
                class Busy(http.server.BaseHTTPRequestHandler):
                    asked = 0
                    def do_POST(self):
                        Busy.asked += 1
                        self.send_response(503 if Busy.asked == 1 else 400)
                        self.send_header("Retry-After", "11")
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                    do_GET = do_POST
                server = http.server.HTTPServer(("127.0.0.1", 0), Busy)
                print(server.server_port)
                server.serve_forever()
                """,
            ])
        try await eventually { server.said.hasSuffix("\n") }
        let tried = try await Kurir.run("simulate", "--server", "http://127.0.0.1:" + server.said.dropLast())
        server.signal(SIGKILL)
        try await server.end()
        #expect(tried.code == 1 && tried.complained.contains("400"), "\(tried)")
        #expect(!tried.complained.contains("has not answered"))
    }

    @Test func `a server that does not answer is named`() async throws {
        let port = try ReservedPort()
        let tried = try await Kurir.run("simulate", "--server", "http://127.0.0.1:\(port.number)")
        #expect(tried.code == 1 && tried.complained.contains("has not answered"), "\(tried)")
    }
}
