import CLibpq
import EventLoop

/// A transaction on a connection of its own, while the body runs.
public struct Transaction: Sendable {
    let lease: Lease

    /// Runs a statement within the transaction.
    @discardableResult
    public func run<S: Statement>(_ statement: S) async throws -> [S.Row] {
        guard lease.loop.isCurrent else { return try await lease.loop.run { try await lease.run(statement) } }
        return try await lease.run(statement)
    }
}

/// How much a transaction sees of others.
public enum Isolation: Sendable {
    case readCommitted
    case repeatableRead
    case serializable
}

/// A connection on loan to one transaction.
///
/// Unchecked, because all of it happens on the loop's thread.
final class Lease: @unchecked Sendable {
    let loop: EventLoop
    private let pool: Pool
    private var connection: ServerConnection?

    init(of connection: ServerConnection, from pool: Pool) {
        self.connection = connection
        self.pool = pool
        loop = pool.loop
    }

    func begin(_ isolation: Isolation) async throws {
        switch isolation {
        case .readCommitted: _ = try await run(BeginReadCommitted())
        case .repeatableRead: _ = try await run(BeginRepeatableRead())
        case .serializable: _ = try await run(BeginSerializable())
        }
    }

    func run<S: Statement>(_ statement: S) async throws -> [S.Row] {
        guard let connection else { throw PostgresError.unexpected("the transaction is over") }
        let call = StatementCall(statement, on: loop, inTransaction: true)
        connection.submit(call)
        return try await call.outcome()
    }

    func commit() async throws { try await end(.commit) }

    /// Does nothing if the transaction is over already.
    func rollBack() async { try? await end(.rollBack) }

    /// The connection goes back when the server has answered, whether or not somebody still waits for that.
    private func end(_ ending: TransactionEnd.Ending) async throws {
        guard let connection else { return }
        self.connection = nil
        let call = TransactionEnd(ending, on: loop) { [pool] in pool.release(connection) }
        connection.submit(call)
        try await call.outcome()
    }
}

/// `COMMIT` or `ROLLBACK`. It is sent even if the task was cancelled, since the connection must be clean again.
final class TransactionEnd: DatabaseCall {
    enum Ending: String {
        case commit = "COMMIT"
        case rollBack = "ROLLBACK"
    }

    private enum Commit {}
    private enum RollBack {}

    private let ending: Ending
    private let promise: Promise<Void>
    private var whenOver: (() -> Void)?
    private var result: Result<Void, any Error> = .success(())

    var sharesSync = false
    let mayMove = false
    var wasPreparedAgain = false
    let isAbandoned = false

    init(_ ending: Ending, on loop: EventLoop, whenOver: @escaping () -> Void) {
        self.ending = ending
        self.whenOver = whenOver
        promise = Promise(on: loop)
    }

    var statement: ObjectIdentifier {
        ending == .commit ? ObjectIdentifier(Commit.self) : ObjectIdentifier(RollBack.self)
    }
    var sql: String { ending.rawValue }

    func bind(into parameters: inout Parameters) {}

    /// If a statement had failed before, the server answers `COMMIT` with `ROLLBACK` and no error.
    func answer(_ result: OpaquePointer) {
        guard String(cString: PQcmdStatus(result)) != ending.rawValue else { return }
        let error = ServerError(
            state: .inFailedTransaction, message: "rolled back, because a statement had failed", constraint: nil)
        self.result = .failure(PostgresError.refused(error))
    }

    func settle() { finish(result) }
    func fail(_ error: PostgresError) { finish(.failure(error)) }
    func outcome() async throws { try await promise.value() }

    private func finish(_ result: Result<Void, any Error>) {
        let finished = whenOver
        whenOver = nil
        finished?()
        promise.fulfil(result)
    }
}

private struct BeginReadCommitted: Statement {
    static let sql = "BEGIN ISOLATION LEVEL READ COMMITTED"
}

private struct BeginRepeatableRead: Statement {
    static let sql = "BEGIN ISOLATION LEVEL REPEATABLE READ"
}

private struct BeginSerializable: Statement {
    static let sql = "BEGIN ISOLATION LEVEL SERIALIZABLE"
}

extension SQLState {
    fileprivate static let inFailedTransaction = SQLState("25P02")
}
