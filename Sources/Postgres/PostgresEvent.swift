/// An event of the connections to the database.
public enum PostgresEvent: Sendable {
    /// A connection was opened, and how long that took.
    case connected(milliseconds: Double)
    /// Connections cannot be opened; this is tried again. It is reported once a loop, and again if the reason changes.
    case connectFailed(reason: String)
    /// An open connection broke; another will be opened.
    case lost(reason: String)
}
