/// A statement as a type: its SQL, its parameters and its rows in one place.
///
/// A value of the type is one call with its arguments. The statement is prepared once per connection.
public protocol Statement: Sendable {
    /// What one row becomes; left out by a statement without rows.
    associatedtype Row: Sendable = Void

    /// The SQL, with `$1`, `$2`, … for the parameters.
    static var sql: String { get }

    /// True for a quick statement that only reads. Those that one turn of the loop brings share a round trip, and
    /// one that a neighbour's error kept from running is sent again, so it must do nothing but read.
    static var isReadOnly: Bool { get }

    /// Adds the parameters, in order.
    func bind(into parameters: inout Parameters)

    /// Reads one row, column by column.
    static func decode(_ row: inout RowReader) throws -> Row
}

extension Statement {
    /// A statement may write, unless it says otherwise.
    public static var isReadOnly: Bool { false }

    /// No parameters.
    public func bind(into parameters: inout Parameters) {}
}

extension Statement where Row == Void {
    /// Nothing is read of a row.
    public static func decode(_ row: inout RowReader) throws {}
}
