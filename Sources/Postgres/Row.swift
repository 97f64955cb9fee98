import CLibpq

/// Reads the columns of a row in order, directly from the server's answer.
///
/// It cannot be copied, because the answer is gone when decoding ends.
public struct RowReader: ~Copyable {
    private let result: OpaquePointer
    private let rows: Int32
    private let columns: Int32
    private var row: Int32 = -1
    private var column: Int32 = 0

    init(_ result: OpaquePointer) {
        self.result = result
        rows = PQntuples(result)
        columns = PQnfields(result)
    }

    var count: Int { Int(rows) }

    /// Goes to the next row, if there is one.
    mutating func nextRow() -> Bool {
        row += 1
        column = 0
        return row < rows
    }

    /// The next column, which must not be NULL.
    public mutating func read<V: PostgresValue>() throws -> V {
        guard let bytes = try nextColumn(V.self) else { throw unexpected("NULL for \(V.self)") }
        return try V(postgres: bytes)
    }

    /// The next column, or nil when it is NULL.
    public mutating func read<V: PostgresValue>() throws -> V? {
        try nextColumn(V.self).map { try V(postgres: $0) }
    }

    /// The next column, an array that may have NULLs in it.
    public mutating func read<V: PostgresValue>() throws -> [V?] {
        guard let bytes = try nextColumn([V].self) else { throw unexpected("NULL for \([V?].self)") }
        return try NullableArray<V>(postgres: bytes).elements
    }

    /// Whether the next column is NULL. It does not move on.
    public func isNextNull() -> Bool { PQgetisnull(result, row, column) != 0 }

    private mutating func nextColumn<V: PostgresValue>(_ type: V.Type) throws -> UnsafeRawBufferPointer? {
        defer { column += 1 }
        guard column < columns else { throw PostgresError.unexpected("a row with only \(columns) columns") }
        guard V.canRead(oid: PQftype(result, column)) else {
            throw PostgresError.unexpected("\(name(column)) has type \(PQftype(result, column)), not \(V.self)")
        }
        guard PQgetisnull(result, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }

    private func unexpected(_ what: String) -> PostgresError {
        .unexpected("\(name(column - 1)): \(what)")
    }

    private func name(_ column: Int32) -> String {
        "column " + String(cString: PQfname(result, column))
    }
}
