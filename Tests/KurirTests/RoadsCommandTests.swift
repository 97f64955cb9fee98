import Foundation
import Postgres
import TestSupport
import Testing

/// What others know of the road comes by files.
@Suite(.database, .timeLimit(.minutes(10))) struct RoadsCommandTests {
    private func entry(_ id: Int, _ more: [String: Any] = [:]) -> [String: Any] {
        [
            "kind": "roadworks", "road_type": "motorway", "title": "Radovi \(id)", "source": "hak",
            "source_id": "\(id)",
            "location": ["lat": 43 + Double(id % 1000) * 0.003, "lon": 14 + Double(id / 1000) * 0.03],
        ].merging(more) { $1 }
    }

    private func file(_ entries: [Any]) throws -> String {
        let path = TemporaryDirectory.path("roads-\(UUID().uuidString).json")
        try JSONSerialization.data(withJSONObject: entries).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func take(_ entries: [Any], _ options: String...) async throws -> (code: Int32, said: String, told: String)
    {
        let arguments = ["roads", "import", try file(entries), "--database", TestDatabase.current.url] + options
        let program = try Program(Kurir.path, arguments, environment: ["KURIR_KEY_FILE": Kurir.keyFile])
        let code = try await program.end()
        return (code, program.said, program.complained)
    }

    private func rows(_ sql: String) async throws -> [[String?]] {
        let url = TestDatabase.current.url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    @Test func `importing again changes what was said, and adds nothing`() async throws {
        let first = try await take([entry(1), entry(2), ["title": "?"]])
        #expect(first.code == 0 && first.said == "2 new, 0 known, 1 skipped, 0 ended\n")
        #expect(first.told.contains("entry 3: kind: required, location: required"))
        try await blocking { [url = TestDatabase.current.url] in
            try BlockingConnection(url: url).execute("UPDATE road_reports SET valid_until = now() - interval '1 hour'")
        }
        let again = try await take([entry(1, ["title": "Otvoreno"]), entry(2)])
        #expect(again.said == "0 new, 2 known, 0 skipped, 0 ended\n")
        let kept = try await rows(
            "SELECT title, is_listed AND valid_until > now() + interval '23 hours' FROM road_reports ORDER BY source_id"
        )
        #expect(kept == [["Otvoreno", "t"], ["Radovi 2", "t"]])
    }

    @Test func `what the source does not name any more is ended where that is wanted, and comes back when it is named`()
        async throws
    {
        _ = try await take([entry(1), entry(2), entry(3)])
        _ = try await take([entry(1, ["source": "other"])])
        #expect(try await take([entry(1)]).said == "0 new, 1 known, 0 skipped, 0 ended\n")
        // A bad entry is named all the same.
        let replaced = try await take([entry(1), entry(3, ["title": ""])], "--replace")
        #expect(replaced.said == "0 new, 1 known, 1 skipped, 1 ended\n")
        let state = "SELECT source, source_id, gone_by FROM road_reports ORDER BY source, source_id"
        #expect(
            try await rows(state) == [
                ["hak", "1", nil], ["hak", "2", "source"], ["hak", "3", nil], ["other", "1", nil],
            ])
        _ = try await take([entry(2)])
        #expect(try await rows(state)[1] == ["hak", "2", nil])
        // What people say is gone stays gone.
        try await blocking { [url = TestDatabase.current.url] in
            try BlockingConnection(url: url).execute(
                """
                UPDATE road_reports SET is_listed = false, gone_at = now() - interval '31 days', gone_by = 'votes'
                WHERE source_id = '2'
                """)
        }
        // However long that is ago.
        for _ in 0..<2 {
            _ = try await take([entry(2)])
            #expect(try await rows(state)[1] == ["hak", "2", "votes"])
            _ = try await rows("SELECT tidy_roads()")
        }
        #expect(try await take([], "--replace", "--source", "hak").said == "0 new, 0 known, 0 skipped, 2 ended\n")
    }

    @Test func `strictly it is all or nothing`() async throws {
        let strict = try await take([entry(1), entry(2, ["kind": "ufo"])], "--strict", "--replace")
        #expect(strict.code != 0 && strict.said.isEmpty && strict.told.contains("entry 2: kind: invalid_value"))
        #expect(try await rows("SELECT FROM road_reports").isEmpty)
        #expect(try await take([entry(1), entry(2)], "--strict").said == "2 new, 0 known, 0 skipped, 0 ended\n")
    }

    @Test func `a hundred thousand entries are taken, on a terminal with their progress`() async throws {
        let path = try file((0..<100_000).map { entry($0) })
        let command = "\(Kurir.path) roads import \(path) --database '\(TestDatabase.current.url)'"
        // `script` gives it a terminal.
        let program = try Program(
            "script", ["-qec", command, "/dev/null"], environment: ["KURIR_KEY_FILE": Kurir.keyFile])
        #expect(try await program.end() == 0, "\(program.said)")
        #expect(program.said.contains("100000 new, 0 known, 0 skipped, 0 ended"))
        #expect(program.said.contains("1000 of 100000") && program.said.contains("100000 of 100000"))
        #expect(try await rows("SELECT count(*) FROM road_reports WHERE is_listed") == [["100000"]])
    }

    @Test func `reports are cleared, all or of a kind`() async throws {
        let radar = ["kind": "radar_stationary"]
        _ = try await take([entry(1), entry(2), entry(3, radar)])
        let url = TestDatabase.current.url
        let some = try await Kurir.run("roads", "clear", "--kind", "roadworks", "--database", url)
        #expect(some.said == "2 reports are cleared.\n")
        #expect(try await Kurir.run("roads", "clear", "--kind", "ufo", "--database", url).code == 64)
        #expect(try await Kurir.run("roads", "clear", "--database", url).said == "1 reports are cleared.\n")
        #expect(try await rows("SELECT FROM road_reports").isEmpty)
    }

    @Test func `where there are no radars none are taken, and no file is no report`() async throws {
        let radar = try await take([entry(1, ["kind": "radar_announced"]), entry(2)], "--radars", "off")
        #expect(radar.said == "1 new, 0 known, 1 skipped, 0 ended\n")
        let url = TestDatabase.current.url
        #expect(try await Kurir.run("roads", "import", "/nonexistent", "--database", url).code == 1)
        #expect(try await Kurir.run("roads", "import", Kurir.keyFile, "--database", url).code == 64)
        #expect(try await Kurir.run("roads", "import", "--database", url).code == 64)
    }
}
