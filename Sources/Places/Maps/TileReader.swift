import CSQLite

/// A connection to a file of tiles. Whoever has taken it uses it alone.
///
/// Unchecked, because one thread at a time has it.
final class TileReader: @unchecked Sendable {
    private var database: OpaquePointer?
    private var select: OpaquePointer?

    init(path: String) throws {
        var (opened, prepared): (OpaquePointer?, OpaquePointer?)
        let sql = "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?"
        guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            sqlite3_prepare_v2(opened, sql, -1, &prepared, nil) == SQLITE_OK
        else {
            let fault = String(cString: sqlite3_errmsg(opened))
            sqlite3_close_v2(opened)
            throw MBTiles.Unfit(description: "it cannot be read as tiles: \(fault)")
        }
        (database, select) = (opened, prepared)
    }

    deinit {
        sqlite3_finalize(select)
        sqlite3_close_v2(database)
    }

    func tile(_ place: TilePlace) throws -> [UInt8]? {
        defer { sqlite3_reset(select) }
        for (number, value) in [place.zoom, place.column, place.fromSouth].enumerated() {
            sqlite3_bind_int64(select, Int32(number + 1), Int64(value))
        }
        switch sqlite3_step(select) {
        case SQLITE_ROW:
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(select, 0), count: Int(sqlite3_column_bytes(select, 0)))
            return bytes.isEmpty ? nil : Array(bytes)
        case SQLITE_DONE: return nil
        default: throw MBTiles.Unfit(description: String(cString: sqlite3_errmsg(database)))
        }
    }

    /// What the file says of itself; nil where it says nothing of that.
    func metadata(_ name: String) throws -> String? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard
            sqlite3_prepare_v2(database, "SELECT value FROM metadata WHERE name = ?", -1, &statement, nil) == SQLITE_OK
        else { return nil }
        return name.withCString { text in
            sqlite3_bind_text(statement, 1, text, -1, nil)
            guard sqlite3_step(statement) == SQLITE_ROW, let value = sqlite3_column_text(statement, 0) else {
                return nil
            }
            return String(cString: value)
        }
    }
}
