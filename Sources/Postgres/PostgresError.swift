/// Why the database did not do what was asked.
public enum PostgresError: Error, Sendable {
    /// There is no connection at the moment, or the queue for one is full. Nothing was sent.
    case unavailable(String)
    /// The connection broke while the statement was under way. Whether it took effect is unknown.
    case connectionLost(String)
    /// The server refused the statement.
    case refused(ServerError)
    /// A row was not of the form that the statement expects, or the server broke the protocol.
    case unexpected(String)

    /// Whether another server may well have the answer: this one cannot be reached, gave a read up for its own reasons, or is
    /// a migration behind (class 42).
    public var isElsewhere: Bool {
        switch self {
        case .unavailable, .connectionLost: true
        case .refused(let error):
            error.isPassing && error.state != .queryCanceled || error.state.code.hasPrefix("42")
        case .unexpected: false
        }
    }

    /// Whether another try may well succeed.
    public var isPassing: Bool {
        switch self {
        case .unavailable, .connectionLost: true
        case .refused(let error): error.isPassing
        case .unexpected: false
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// What to tell a person, on one line.
    public var description: String {
        switch self {
        case .unavailable(let reason): "the database is not available: \(reason)".onOneLine
        case .connectionLost(let reason): "the connection to the database was lost: \(reason)".onOneLine
        case .refused(let error): "the database refused: \(error)".onOneLine
        case .unexpected(let what): "the database answered with what was not expected: \(what)".onOneLine
        }
    }
}

/// The server's error for a statement that it refused.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// The code, which is stable, unlike the words.
    public let state: SQLState
    /// The server's primary message. It may quote values, so it is only for our own logs.
    public let message: String
    /// The constraint that refused the row, if one did.
    public let constraint: String?

    /// What the server said.
    public init(state: SQLState, message: String, constraint: String?) {
        self.state = state
        self.message = message
        self.constraint = constraint
    }

    /// Whether another try may succeed.
    public var isPassing: Bool { state.isPassing }

    public var description: String {
        "\(state.code) \(message)" + (constraint.map { " (\($0))" } ?? "")
    }
}

/// The server's error codes that the code refers to by name.
public struct SQLState: Hashable, Sendable {
    /// Five characters, as the server sends them.
    public let code: String

    /// A code as the server sent it.
    public init(_ code: String) {
        self.code = code
    }

    /// Raised by functions of ours: a budget is spent, and the message has the seconds until there is room.
    public static let budgetSpent = SQLState("KU429")
    public static let uniqueViolation = SQLState("23505")
    public static let foreignKeyViolation = SQLState("23503")
    public static let checkViolation = SQLState("23514")
    public static let serializationFailure = SQLState("40001")
    public static let deadlockDetected = SQLState("40P01")
    public static let queryCanceled = SQLState("57014")
    public static let adminShutdown = SQLState("57P01")
    public static let invalidStatementName = SQLState("26000")
    public static let featureNotSupported = SQLState("0A000")
    public static let syntaxError = SQLState("42601")
    public static let undefinedTable = SQLState("42P01")
    public static let divisionByZero = SQLState("22012")
    public static let readOnlyTransaction = SQLState("25006")
    public static let tooManyConnections = SQLState("53300")
    public static let lockNotAvailable = SQLState("55P03")
    public static let crashShutdown = SQLState("57P02")
    public static let cannotConnectNow = SQLState("57P03")

    private static let passing: Set<SQLState> = [
        .serializationFailure, .deadlockDetected, .readOnlyTransaction, .lockNotAvailable, .queryCanceled,
        .adminShutdown, .crashShutdown, .cannotConnectNow,
    ]

    /// Whether the error is temporary and not the statement's fault. Class 53 means that the server lacks resources.
    var isPassing: Bool { Self.passing.contains(self) || code.hasPrefix("53") }
}
