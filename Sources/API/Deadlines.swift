import Domain
import EventLoop
import Postgres

/// A kind of things that are to happen at a time.
package struct DueKind: Sendable {
    /// As its rows have it.
    package let name: String
    /// How often it happens of itself; nil for what happens when somebody has set it.
    let period: Duration?
    let happen: @Sendable (Transaction, _ subject: ID) async throws -> Next

    /// What comes after it has happened.
    package enum Next: Sendable {
        case nothing
        case again(after: Duration)
    }

    /// Something that happens again and again; `work` says whether there is more of it to do at once.
    package static func recurring(
        _ name: String, every period: Duration, _ work: @escaping @Sendable (Transaction) async throws -> Bool
    ) -> DueKind {
        DueKind(name: name, period: period) { transaction, _ in
            .again(after: try await work(transaction) ? .zero : period)
        }
    }
}

/// Has happen what is due, whichever node sees it first.
///
/// A deadline is a row, written in the commit that sets it. Whoever finds it due has it happen in the transaction that
/// takes the row away, so it happens once, whoever dies at whatever moment; and no clock runs in memory.
package struct Deadlines: Sendable {
    /// How late the node may be that looks first.
    private static let pause = Duration.seconds(1)
    /// How soon something is tried again that went wrong.
    private static let patience = Duration.seconds(60)

    private let database: Database
    private let kinds: [String: DueKind]
    private let failed: @Sendable (_ kind: String, any Error) -> Void

    /// `failed` is told what went wrong; it is tried again, and the others have their turn meanwhile.
    package init(
        _ database: Database, _ kinds: [DueKind], failed: @escaping @Sendable (_ kind: String, any Error) -> Void
    ) {
        self.database = database
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
        self.failed = failed
    }

    /// Looks once a second until the task is cancelled.
    package func run(on loop: EventLoop) async {
        // What went wrong with looking is told once.
        var hasFailed = false
        while !Task.isCancelled {
            do {
                try await begin()
                while try await next() {}
                hasFailed = false
            } catch {
                if !hasFailed, !(error is CancellationError) { failed("deadlines", error) }
                hasFailed = true
            }
            try? await loop.sleep(for: Self.pause)
        }
    }

    /// Sets what happens of itself, should nobody have done so.
    func begin() async throws {
        try await database.run(SetRecurring(kinds: kinds.values.filter { $0.period != nil }.map(\.name)))
    }

    /// Has the next thing happen that is due; false when there is none that nobody is at.
    func next() async throws -> Bool {
        let database = database
        let wrong = Locked<(due: Due, error: any Error)?>(nil)
        do {
            return try await database.transaction { transaction in
                guard let due = try await transaction.run(TakeDue(kinds: Array(kinds.keys))).first else { return false }
                do {
                    try await happen(due, transaction)
                } catch {
                    wrong.withLock { $0 = (due, error) }
                    throw error
                }
                return true
            }
        } catch {
            guard !Task.isCancelled, let (due, error) = wrong.withLock({ $0 }) else { throw error }
            failed(due.kind, error)
            try await database.run(PutOff(due: due, by: Self.patience))
            return true
        }
    }

    private func happen(_ due: Due, _ transaction: Transaction) async throws {
        guard let kind = kinds[due.kind] else { return }
        switch try await kind.happen(transaction, due.subject) {
        case .nothing: try await transaction.run(RemoveDue(due: due))
        case .again(let pause): try await transaction.run(PutOff(due: due, by: pause))
        }
    }
}

/// A deadline that has come.
struct Due: Sendable {
    let kind: String
    let subject: ID
}

/// Locks what has been due for longest, of what nobody is at.
struct TakeDue: Statement {
    static let sql = """
        SELECT kind, subject FROM deadlines WHERE due_at <= clock_timestamp() AND kind = ANY ($1)
        ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
        """
    let kinds: [String]

    func bind(into parameters: inout Parameters) { parameters.add(kinds) }

    static func decode(_ row: inout RowReader) throws -> Due { Due(kind: try row.read(), subject: try row.read()) }
}

struct RemoveDue: Statement {
    static let sql = "DELETE FROM deadlines WHERE kind = $1 AND subject = $2"
    let due: Due

    func bind(into parameters: inout Parameters) {
        parameters.add(due.kind)
        parameters.add(due.subject)
    }
}

/// Sets it again, so long from now.
struct PutOff: Statement {
    static let sql = """
        UPDATE deadlines SET due_at = clock_timestamp() + make_interval(secs => $3) WHERE kind = $1 AND subject = $2
        """
    let due: Due
    let by: Duration

    func bind(into parameters: inout Parameters) {
        parameters.add(due.kind)
        parameters.add(due.subject)
        parameters.add(Double(by.components.seconds))
    }
}

/// What happens of itself has no subject, and is due at once where it has never happened.
struct SetRecurring: Statement {
    static let sql = """
        INSERT INTO deadlines (kind, subject, due_at)
        SELECT kind, '00000000-0000-0000-0000-000000000000', '-infinity' FROM unnest($1::text[]) AS kind
        ON CONFLICT DO NOTHING
        """
    let kinds: [String]

    func bind(into parameters: inout Parameters) { parameters.add(kinds) }
}
