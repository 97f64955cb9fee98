/// A statement as a type: its SQL, its parameters and its rows in one place.
///
/// A value of the type is one call with its arguments. The statement is prepared once for each connection.
public protocol Statement: Sendable {
    /// The type of one row. A statement without rows leaves it out.
    associatedtype Row: Sendable = Void

    /// The SQL, with `$1`, `$2`, … for the parameters.
    static var sql: String { get }

    /// True for a quick statement that only reads. Reads of one turn of the loop share a round trip. A read that
    /// another's error kept from running is sent again, so it must do nothing but read.
    static var isReadOnly: Bool { get }

    /// Adds the parameters, in order.
    func bind(into parameters: inout Parameters)

    /// Reads one row, column by column.
    static func decode(_ row: inout RowReader) throws -> Row
}

extension Statement {
    /// A statement may write, unless it says otherwise.
    public static var isReadOnly: Bool { false }

    /// By default there are no parameters.
    public func bind(into parameters: inout Parameters) {}
}

extension Statement where Row == Void {
    /// By default nothing is read from a row.
    public static func decode(_ row: inout RowReader) throws {}
}
