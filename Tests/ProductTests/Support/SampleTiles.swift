import CSQLite
import TestSupport
import Testing

/// Files of tiles that tests make.
enum SampleTiles {
    /// One at the very north-west and one south of it, four steps in; and what `sql` makes of that.
    static func file(_ sql: String = "", format: String = "png") throws -> String {
        let path = TemporaryDirectory.path("town") + ".mbtiles"
        try run(
            """
            CREATE TABLE metadata (name text, value text);
            CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
            INSERT INTO metadata VALUES ('format', '\(format)'), ('maxzoom', '14'), ('bounds', '15,45,16.5,46'),
                ('attribution', '© <a href="https://example.com">Grad</a>');
            INSERT INTO tiles VALUES (4, 0, 15, x'0102'), (4, 0, 14, x'03');
            \(sql)
            """, in: path)
        return path
    }

    /// Changes a file.
    static func run(_ sql: String, in path: String) throws {
        var database: OpaquePointer?
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        defer { sqlite3_close_v2(database) }
        try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
    }
}
