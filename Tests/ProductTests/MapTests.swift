import Foundation
import HTTP
import TestSupport
import Testing

@testable import Places

/// Maps are drawn on what the operator named.
@Suite struct MapTests {
    @Test func `rows of a file are counted from the south, and those of addresses from the north`() async throws {
        let tiles = try MBTiles(path: SampleTiles.file())
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

    @Test(.database, arguments: [false, true])
    func `pages may load pictures of the map that is given, and of nobody else`(_ isGiven: Bool) async throws {
        let given = try MapSource("https://tile.example/{z}/{x}/{y}.png", attribution: "© Ljudi")
        let origins = isGiven ? ["https://tile.example"] : []
        try await ServedProduct.serving(map: isGiven ? given : .grid) { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)
            for path in ["/store", "/courier", "/t/\(token)"] {
                let policy = try #require(try await api.get(path).reply.header("content-security-policy"))
                let named = policy.matches(of: /https?:[^ ;]+/).map { String($0.output) }
                #expect(named == origins, "\(path): \(policy)")
                let pictures = policy.split(separator: ";").first { $0.contains("img-src") } ?? ""
                for origin in origins { #expect(pictures.contains(origin)) }
            }
            let told = try await api.get("/v1/about").json["map"]
            #expect(told["attribution"].string == (isGiven ? "© Ljudi" : nil))
        }
    }

    @Test func `what is no file of pictures is refused`() {
        #expect(throws: MBTiles.Unfit.self) { try MBTiles(path: TemporaryDirectory.path("nothing") + ".mbtiles") }
        #expect(throws: MBTiles.Unfit.self) { try MBTiles(path: SampleTiles.file(format: "pbf")) }
    }

    @Test(arguments: [
        "", "SQLite format 3\u{0}", String(repeating: "x", count: 100_000),
    ]) func `what is no database is refused`(_ content: String) throws {
        let path = TemporaryDirectory.path("broken") + ".mbtiles"
        try Data(content.utf8).write(to: URL(filePath: path))
        #expect(throws: MBTiles.Unfit.self) { try MBTiles(path: path) }
    }

    @Test func `a file that says odd things of itself is taken for what can be true of it`() async throws {
        let path = try SampleTiles.file(
            """
            DELETE FROM metadata;
            INSERT INTO metadata VALUES ('minzoom', '99999999999999999999'), ('maxzoom', '-7'), ('bounds', 'nan,1,2,inf'),
                ('attribution', '<script>alert(1)</script><b');
            INSERT INTO tiles VALUES (4, 1, 15, NULL), (4, 2, 15, ''), (4, 3, 15, 'a text'), ('x', 'y', 'z', x'00');
            """)
        let tiles = try MBTiles(path: path)
        #expect(tiles.zooms == 0...0 && tiles.bounds == nil && tiles.attribution == "alert(1)")
        for _ in 0..<2 {
            #expect(try await tiles.tile(TilePlace(zoom: 4, column: 1, row: 0)!) == nil)
            #expect(try await tiles.tile(TilePlace(zoom: 4, column: 2, row: 0)!) == nil)
        }
        try await blocking { tiles.stop() }
        for (bounds, isArea) in [
            ("15,45,16,46", true), ("16,45,15,46", false), ("15,46,16,45", false), ("15,45,16,91", false),
            ("-181,45,16,46", false), ("15,45,16", false), ("", false), ("15,45,16,46,7", false), ("a,b,c,d", false),
        ] {
            let file = try SampleTiles.file("UPDATE metadata SET value = '\(bounds)' WHERE name = 'bounds'")
            let tiles = try MBTiles(path: file)
            #expect((tiles.bounds != nil) == isArea, "\(bounds)")
            try await blocking { tiles.stop() }
        }
    }

    @Test func `a file without anything about itself has tiles all the same`() async throws {
        let tiles = try MBTiles(path: SampleTiles.file("DROP TABLE metadata"))
        #expect(try await tiles.tile(TilePlace(zoom: 4, column: 0, row: 0)!) == [1, 2])
        try await blocking { tiles.stop() }
        #expect(throws: MBTiles.Unfit.self) { try MBTiles(path: SampleTiles.file("DROP TABLE tiles")) }
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
