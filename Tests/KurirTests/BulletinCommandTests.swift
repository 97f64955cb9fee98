import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// `kurir bulletin` and `kurir roads report`, as those use them who run Kurir.
@Suite(.database) struct BulletinCommandTests {
    private func run(_ arguments: String...) async throws -> (code: Int32, said: String, complained: String) {
        let program = try Program(
            Kurir.path, arguments + ["--database", TestDatabase.current.url],
            environment: ["KURIR_KEY_FILE": Kurir.keyFile])
        let code = try await program.end()
        return (code, program.said, program.complained)
    }

    private func file(_ text: String, _ name: String = "feed.xml") throws -> String {
        let path = TemporaryDirectory.path(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func titles() async throws -> [String?] {
        let url = TestDatabase.current.url
        return try await blocking {
            try BlockingConnection(url: url).query("SELECT title FROM bulletins ORDER BY published_at, title").map {
                $0[0]
            }
        }
    }

    /// Has a server give a file.
    private func served<Answer>(
        _ path: String, _ body: (_ url: String) async throws -> Answer
    ) async throws -> Answer {
        let file = URL(filePath: path)
        let directory = file.deletingLastPathComponent().path()
        let server = try Program(
            "python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", directory])
        let told = #/port ([0-9]+) /#
        try await eventually { !server.isRunning || server.said.contains(told) }
        let port = try #require(server.said.firstMatch(of: told)?.1, "\(server.complained)")
        let answer: Result<Answer, any Error>
        do { answer = .success(try await body("http://127.0.0.1:\(port)/\(file.lastPathComponent)")) } catch {
            answer = .failure(error)
        }
        server.signal(SIGKILL)
        try await server.end()
        return try answer.get()
    }

    private static let feed = """
        <rss version="2.0"><channel><title>HAK</title>
        <item><title>Bura</title><link>https://hak.hr/1</link><description>&lt;b&gt;Zatvoreno&lt;/b&gt;</description>
          <pubDate>Mon, 02 Nov 2026 13:00:00 GMT</pubDate></item>
        <item><pubDate>Mon, 02 Nov 2026 13:00:00 GMT</pubDate></item>
        <item><title>Magla</title><link>https://hak.hr/2</link><pubDate>Tue, 03 Nov 2026 13:00:00 GMT</pubDate></item>
        </channel></rss>
        """

    @Test func `a feed is taken over once, from a file or a server, and what is empty is told by its number`()
        async throws
    {
        let path = try file(Self.feed)
        let first = try await run("bulletin", "import", path, "--category", "road")
        #expect(first.code == 0 && first.said == "HAK: 2 new, 0 there already, 1 that cannot be used.\n")
        #expect(first.complained == "entry 2 has neither a title nor a text\n")
        #expect(try await titles() == ["Bura", "Magla"])
        #expect(try await run("bulletin", "import", path).said.hasPrefix("HAK: 0 new, 2 there already"))
        let away = try await served(path) { try await run("bulletin", "import", $0) }
        #expect(away.code == 0 && away.said.hasPrefix("HAK: 0 new, 2 there already"))
        let other = try await run("bulletin", "import", path, "--source", "Drugi")
        #expect(other.said.hasPrefix("Drugi: 2 new"))
    }

    @Test func `what says neither when it is of nor what it is called is taken over once, on whatever day`()
        async throws
    {
        let path = try file(
            """
            <rss version="2.0"><channel><title>HAK</title><item><title>Bura</title></item>
            <item><title>Najava</title><pubDate>Sat, 02 Jan 2100 13:00:00 GMT</pubDate></item></channel></rss>
            """)
        #expect(try await run("bulletin", "import", path).said.hasPrefix("HAK: 2 new"))
        try await blocking { [url = TestDatabase.current.url] in
            try BlockingConnection(url: url).execute(
                "UPDATE bulletins SET published_at = published_at - interval '2 days', day = day - 2")
        }
        #expect(try await run("bulletin", "import", path).said.hasPrefix("HAK: 0 new, 2 there already"))
    }

    @Test func `people are told of what operators write, and not of what is taken over`() async throws {
        let url = TestDatabase.current.url
        try await blocking {
            try BlockingConnection(url: url).execute(
                "INSERT INTO accounts (id, kind, language, password_hash) VALUES (gen_random_uuid(), 'courier', 'hr', '$scrypt$x')"
            )
        }
        func told() async throws -> String? {
            try await blocking {
                try BlockingConnection(url: url).query("SELECT count(*) FROM event_journal")[0][0]
            }
        }
        _ = try await run("bulletin", "import", try file(Self.feed))
        #expect(try await told() == "0")
        _ = try await run("bulletin", "post", "--title", "Bura", "--text", "Jaka.", "--category", "weather")
        #expect(try await told() == "1")
        _ = try await run("roads", "report", try file(#"{"title":"Led","text":"Na Velebitu."}"#, "one.json"))
        #expect(try await told() == "2")
        let kinds = try await blocking {
            try BlockingConnection(url: url).query("SELECT title, category FROM bulletins ORDER BY id DESC LIMIT 2")
        }
        #expect(kinds == [["Led", "road"], ["Bura", "weather"]])
    }

    @Test func `what is no feed changes nothing`() async throws {
        let hostile = """
            <!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>
            <rss version="2.0"><channel><title>HAK</title><item><title>&x;</title></item></channel></rss>
            """
        for text in [hostile, "<html></html>", "{}", ""] {
            let refused = try await run("bulletin", "import", try file(text))
            #expect(refused.code == 1 && refused.said.isEmpty && refused.complained.contains("is no feed: "))
        }
        let missing = try await run("bulletin", "import", "/nowhere/feed.xml")
        #expect(missing.code == 1 && missing.complained.contains("/nowhere/feed.xml cannot be read"))
        let gone = try await run("bulletin", "import", "http://127.0.0.1:1/feed")
        #expect(gone.code == 1 && gone.complained.contains("gives no feed"))
        let wrong = try await run("bulletin", "import", try file(Self.feed), "--category", "store")
        #expect(wrong.code == 64 && wrong.complained.contains("news, road or weather"))
        #expect(try await run("bulletin", "import").complained.contains("which feed?"))
        #expect(try await titles() == [])
    }

    @Test(arguments: ["broken", "dripping"])
    func `a server that stops half way, or drips, is given up, and nobody holds the database meanwhile`(
        _ way: String
    ) async throws {
        let url = TestDatabase.current.url
        let others = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        try await FarAway.running { far in
            let program = try Program(
                Kurir.path, ["bulletin", "import", far.url(way) + "/feed.xml", "--database", url],
                environment: ["KURIR_KEY_FILE": Kurir.keyFile])
            try await eventually { far.asked.count == 1 }
            #expect(try await blocking { try BlockingConnection(url: url).query(others) } == [["0"]])
            #expect(try await program.end() == 1 && program.complained.contains("gives no feed"))
        }
        #expect(try await titles() == [])
    }

    @Test func `a hundred thousand entries are taken over`() async throws {
        let items = (0..<100_000).map { "<item><title>Vijest \($0)</title><link>https://hak.hr/\($0)</link></item>" }
        let path = try file("<rss version=\"2.0\"><channel><title>HAK</title>\(items.joined())</channel></rss>")
        #expect(try await run("bulletin", "import", path).said.hasPrefix("HAK: 100000 new, 0 there already"))
    }

    @Test func `what an operator posts is there, and removed by its id`() async throws {
        let link = "https://example.com/bura"
        let posted = try await run(
            "bulletin", "post", "--title", "Bura", "--text", "Most je zatvoren.", "--link", link, "--category",
            "weather")
        let id = posted.said.trimmingCharacters(in: .newlines)
        #expect(posted.code == 0 && id.count == 36)
        let again = try await run("bulletin", "post", "--title", "Opet bura", "--text", "x", "--link", link)
        #expect(again.code == 1 && again.complained.contains("stands there already"))
        for (arguments, words) in [
            (["--text", "x"], "the title cannot be taken: it is missing"),
            (["--title", "x"], "the text cannot be taken"),
            (["--title", "x", "--text", "x", "--link", "ftp://x"], "must begin with https://"),
        ] {
            let program = try Program(
                Kurir.path, ["bulletin", "post"] + arguments + ["--database", TestDatabase.current.url],
                environment: ["KURIR_KEY_FILE": Kurir.keyFile])
            #expect(try await program.end() == 64 && program.complained.contains(words), "\(program.complained)")
        }
        #expect(try await titles() == ["Bura"])
        #expect(try await run("bulletin", "remove", id).said == "\(id) is removed.\n")
        #expect(try await run("bulletin", "remove", id).code == 1)
        #expect(try await titles() == [])
    }

    @Test func `words of the road are published, one or a list`() async throws {
        let one = try await run(
            "roads", "report", try file("{\"title\":\"Odron na D8\",\"text\":\"Kod Makarske.\"}", "one.json"))
        #expect(one.code == 0 && one.said == "1 new, 0 there already, 0 that cannot be used.\n")
        let list = """
            [{"title":"Odron na D8","text":"Kod Makarske."},{"text":"bez naslova"},7,{"title":"Led","text":"Na Velebitu.","link":"https://hak.hr/led"},
             {"title":"Loš","text":"Loše.","link":"javascript:x"},{"title":"Bez riječi"}]
            """
        let more = try await run("roads", "report", try file(list, "list.json"))
        #expect(more.code == 0 && more.said == "1 new, 1 there already, 4 that cannot be used.\n")
        for number in [2, 3, 5, 6] { #expect(more.complained.contains("report \(number): ")) }
        let url = TestDatabase.current.url
        let kept = try await blocking {
            try BlockingConnection(url: url).query("SELECT title, text, category, source FROM bulletins ORDER BY id")
        }
        #expect(
            kept == [["Odron na D8", "Kod Makarske.", "road", "Kurir"], ["Led", "Na Velebitu.", "road", "Kurir"]])
        #expect(try await run("roads", "report", try file("7", "seven.json")).code == 1)
    }
}
