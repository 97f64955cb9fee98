/// What can be observed of the connections to the database.
public enum PostgresEvent: Sendable {
    /// A connection was opened, and how long that took.
    case connected(milliseconds: Double)
    /// Connections cannot be opened; it is tried again. Reported once a loop, and again when the reason is another.
    case connectFailed(reason: String)
    /// An open connection broke; another is opened.
    case lost(reason: String)
}
