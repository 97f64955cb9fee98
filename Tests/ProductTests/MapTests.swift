import CSQLite
import HTTP
import TestSupport
import Testing

@testable import Places

/// Maps are drawn on what the operator named.
@Suite struct MapTests {
    /// A file of tiles: one at the very north-west and one south of it, four steps in.
    private func file(format: String = "png") throws -> String {
        let path = TemporaryDirectory.path("town") + ".mbtiles"
        var database: OpaquePointer?
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        defer { sqlite3_close_v2(database) }
        let sql = """
            CREATE TABLE metadata (name text, value text);
            CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
            INSERT INTO metadata VALUES ('format', '\(format)'), ('maxzoom', '14'), ('bounds', '15,45,16.5,46'),
                ('attribution', '© <a href="https://example.com">Grad</a>');
            INSERT INTO tiles VALUES (4, 0, 15, x'0102'), (4, 0, 14, x'03');
            """
        try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
        return path
    }

    @Test func `rows of a file are counted from the south, and those of addresses from the north`() async throws {
        let tiles = try MBTiles(path: file())
        // The second time they are in memory.
        for _ in 0..<2 {
            #expect(try await tiles.tile(TilePlace(zoom: 4, column: 0, row: 0)!) == [1, 2])
            #expect(try await tiles.tile(TilePlace(zoom: 4, column: 0, row: 1)!) == [3])
            #expect(try await tiles.tile(TilePlace(zoom: 4, column: 1, row: 0)!) == nil)
        }
        #expect(
            tiles.attribution == "© Grad" && tiles.zooms == 0...14 && tiles.bounds == [15, 45, 16.5, 46]
                && tiles.type == "image/png")
        try await blocking { tiles.stop() }
    }

    @Test func `what is no file of pictures is refused`() {
        #expect(throws: MBTiles.Unfit.self) { try MBTiles(path: TemporaryDirectory.path("nothing") + ".mbtiles") }
        #expect(throws: MBTiles.Unfit.self) { try MBTiles(path: file(format: "pbf")) }
    }

    @Test(arguments: [(4, -1, 0), (4, 16, 0), (4, 0, 16), (-1, 0, 0), (25, 0, 0)])
    func `there is no tile beyond the world`(_ zoom: Int, _ column: Int, _ row: Int) {
        #expect(TilePlace(zoom: zoom, column: column, row: row) == nil)
    }

    @Test(arguments: [
        ("https://tile.example/{z}/{x}/{y}.png", "https://tile.example"),
        ("https://tile.example:8443/a/{z}/{x}/{y}?key=7", "https://tile.example:8443"),
        ("http://localhost:8081/{z}/{x}/{y}", "http://localhost:8081"),
    ])
    func `a template is taken, and its origin allowed`(_ template: String, _ origin: String) throws {
        #expect(MapSource.takes(template))
        #expect(try MapSource(template, attribution: nil).view.origins == [origin])
    }

    @Test(arguments: [
        "https://tile.example/{z}/{x}.png", "http://tile.example/{z}/{x}/{y}.png", "{z}/{x}/{y}",
        "https://tile.example/{s}/{z}/{x}/{y}.png", "https://tile.example; script-src */{z}/{x}/{y}", "town.mbtile",
        "https://a b/{z}/{x}/{y}", "https://tile.example\"/{z}/{x}/{y}",
    ])
    func `what is no template is refused`(_ template: String) { #expect(!MapSource.takes(template)) }
}
