import Foundation
import HTTP
import TestSupport
import Testing

@testable import Places

/// Tiles as browsers ask for them, and as nobody should.
@Suite(.database) struct TileTests {
    private func serving(_ path: String, _ body: (ServedProduct) async throws -> Void) async throws {
        try await ServedProduct.serving(map: try MapSource(path, attribution: nil), body)
    }

    @Test func `a tile is a picture that may be kept, and what is none is not there`() async throws {
        try await serving(SampleTiles.file()) { api in
            #expect(try await api.get("/v1/about").json["map"]["tiles"] == "/tiles/{z}/{x}/{y}")
            let tile = try await api.get("/tiles/4/0/0").reply
            #expect(tile.status == 200 && tile.body == [1, 2])
            #expect(
                tile.headers("content-type") == ["image/png"] && tile.headers("x-content-type-options") == ["nosniff"])
            #expect(tile.headers("cache-control") == ["public, max-age=86400"])
            for path in [
                "4/1/0", "4/16/0", "4/0/16", "4/-1/0", "4/0/-1", "-1/0/0", "25/0/0", "24/16777216/0",
                "9223372036854775807/0/0", "9223372036854775808/0/0", "99999999999999999999999/0/0", "64/0/0", "63/0/0",
                "4/0/0.png", "4/0/", "4//0", "4/x/0", "4/0x0/0", "4/1e0/0", "4/%30/%00", "4/0/0%20", "4/../0",
                "../../0",
                "4/%2e%2e/0", "%2e%2e/%2e%2e/etc", "..%2f..%2fetc%2fpasswd/0/0", "4/0/0/0", "4/0/0'", "4/0/0;--",
                "4/%D9%A4/0",
            ] {
                let answer = try await api.get("/tiles/\(path)")
                #expect([400, 404, 422].contains(answer.status), "\(path): \(answer.status)")
            }
        }
    }

    @Test func `without a file there is no tile`() async throws {
        try await ServedProduct.serving { api in
            let tile = try await api.get("/tiles/4/0/0")
            #expect(tile.status == 404)
        }
    }

    /// Much that is not in memory, and a file that goes wrong under it.
    @Test func `a file that is cut while it is served costs its tiles alone, and works again when it is whole`()
        async throws
    {
        let path = try SampleTiles.file(
            """
            WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 999)
            INSERT INTO tiles SELECT 12, n, 0, zeroblob(5000) FROM n
            """)
        let whole = try Data(contentsOf: URL(filePath: path))
        try await serving(path) { api in
            func ask(_ columns: Range<Int>) async throws -> Set<Int> {
                var statuses: Set<Int> = []
                for column in columns { statuses.insert(try await api.get("/tiles/12/\(column)/4095").status) }
                return statuses
            }
            #expect(try await ask(0..<50) == [200])
            let file = try FileHandle(forUpdating: URL(filePath: path))
            try file.truncate(atOffset: 3 * 4096)
            let cut = try await ask(900..<950)
            #expect(cut == [500] || cut == [404, 500], "\(cut)")
            // What is in memory is there, and so is everything else.
            #expect(try await ask(0..<50) == [200])
            #expect(try await api.get("/v1/about").status == 200)
            try file.seek(toOffset: 0)
            try file.write(contentsOf: [UInt8](repeating: 0x58, count: whole.count))
            #expect(try await ask(900..<910) == [500])
            try file.seek(toOffset: 0)
            try file.write(contentsOf: whole)
            try file.close()
            #expect(try await ask(900..<950) == [200])
        }
    }

    @Test func `a file that is put in another's place is that of the next start`() async throws {
        let path = try SampleTiles.file()
        try await serving(path) { api in
            #expect(try await api.get("/tiles/4/0/0").reply.body == [1, 2])
            let other = try SampleTiles.file("UPDATE tiles SET tile_data = x'09'")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: other, toPath: path)
            #expect(try await api.get("/tiles/4/0/0").reply.body == [1, 2])
            #expect(try await api.get("/tiles/4/0/1").reply.body == [3])
        }
    }

    @Test func `what is asked for again and again stays in memory, and no more than there is room for`() async throws {
        let tiles = try MBTiles(
            path: SampleTiles.file(
                """
                WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 399)
                INSERT INTO tiles SELECT 12, n, 0, zeroblob(100000) FROM n
                """))
        for column in 0..<400 {
            #expect(try await tiles.tile(TilePlace(zoom: 12, column: column, row: 4095)!)?.count == 100_000)
            #expect(try await tiles.tile(TilePlace(zoom: 4, column: 0, row: 0)!) == [1, 2])
        }
        #expect(tiles.kept <= 16 << 20 && tiles.kept > 4 << 20)
        try await blocking { tiles.stop() }
    }
}
