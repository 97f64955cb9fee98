import CLibpq
import EventLoop

/// One call of a statement on its way over a connection.
protocol DatabaseCall: AnyObject {
    /// The statement's type. What was prepared for one call serves all calls of the same type.
    var statement: ObjectIdentifier { get }
    var sql: String { get }
    /// Whether it may share a sync with others.
    var sharesSync: Bool { get set }
    /// Whether it may be sent again if it did nothing the first time, perhaps over another connection.
    var mayMove: Bool { get }
    /// Whether it was already sent again because its prepared statement was gone.
    var wasPreparedAgain: Bool { get set }
    /// Whether nobody waits for it any more, so that it need not be sent.
    var isAbandoned: Bool { get }

    func bind(into parameters: inout Parameters)
    /// Takes the answer, which ``settle()`` passes on.
    func answer(_ result: OpaquePointer)
    func settle()
    func fail(_ error: PostgresError)
}

/// A call of a typed statement that a task waits for.
final class StatementCall<S: Statement>: DatabaseCall {
    private let value: S
    private let promise: Promise<[S.Row]>
    private var rows: Result<[S.Row], any Error> = .success([])

    var sharesSync: Bool
    let mayMove: Bool
    var wasPreparedAgain = false

    init(_ value: S, on loop: EventLoop, inTransaction: Bool = false) {
        self.value = value
        sharesSync = S.isReadOnly && !inTransaction
        mayMove = !inTransaction
        promise = Promise(on: loop)
    }

    var statement: ObjectIdentifier { ObjectIdentifier(S.self) }
    var sql: String { S.sql }
    var isAbandoned: Bool { promise.isOver }

    func bind(into parameters: inout Parameters) { value.bind(into: &parameters) }

    func answer(_ result: OpaquePointer) {
        guard !isAbandoned else { return }
        rows = Result { try Self.decode(result) }
    }

    func settle() { promise.fulfil(rows) }
    func fail(_ error: PostgresError) { promise.fulfil(.failure(error)) }

    /// The rows, once the call has settled.
    func outcome() async throws -> [S.Row] { try await promise.value() }

    private static func decode(_ result: OpaquePointer) throws -> [S.Row] {
        var reader = RowReader(result)
        var rows: [S.Row] = []
        rows.reserveCapacity(reader.count)
        while reader.nextRow() { rows.append(try S.decode(&reader)) }
        return rows
    }
}
