import Domain
import EventLoop
import Postgres

/// Something that is to be done again and again, by whichever node sees first that it is due.
package struct DueKind: Sendable {
    /// As its row has it.
    package let name: String
    let period: Duration
    let work: @Sendable (Database) async throws -> Bool

    /// `work` says whether there is more of it to do at once. It may be done twice where a node stands still in the midst of it.
    package static func recurring(
        _ name: String, every period: Duration, _ work: @escaping @Sendable (Database) async throws -> Bool
    ) -> DueKind {
        DueKind(name: name, period: period, work: work)
    }
}

/// Has done what is due.
///
/// A deadline is a row. Whoever finds it due puts it off, far enough to do it in peace, and when it is done until it is due
/// again: so one node at a time does it, and another one if that one dies.
package struct Deadlines: Sendable {
    /// How late the node may be that looks first.
    private static let pause = Duration.seconds(1)
    /// How soon something is tried again that went wrong.
    private static let patience = Duration.seconds(60)
    /// Longer than any statement may take.
    private static let longest = Duration.seconds(660)

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

    /// Looks once a second until the task is cancelled. What takes long holds up nothing else.
    package func run(on loop: EventLoop) async {
        await withDiscardingTaskGroup { group in
            // What went wrong with looking is told once.
            var hasFailed = false
            while !Task.isCancelled {
                do {
                    try await begin()
                    while let due = try await take(Array(kinds.keys)) {
                        group.addTask(executorPreference: loop) { await see(to: due) }
                    }
                    hasFailed = false
                } catch {
                    if !hasFailed, !(error is CancellationError) { failed("deadlines", error) }
                    hasFailed = true
                }
                try? await loop.sleep(for: Self.pause)
            }
            group.cancelAll()
        }
    }

    /// Goes on while there is more of it, unless another node is quicker. What is lost on the way is due again in time.
    private func see(to due: Due) async {
        var next: Due? = due
        while let due = next {
            guard let hasMore = try? await settle(due) else { return }
            next = hasMore ? try? await take([due.kind]) : nil
        }
    }

    /// Sets what nobody has set yet.
    func begin() async throws {
        try await database.run(SetDeadlines(kinds: Array(kinds.keys)))
    }

    /// Does what has been due for longest; false when nothing is that nobody is at.
    func next() async throws -> Bool {
        guard let due = try await take(Array(kinds.keys)) else { return false }
        _ = try await settle(due)
        return true
    }

    private func take(_ kinds: [String]) async throws -> Due? {
        try await database.run(TakeDue(kinds: kinds, time: Self.longest)).first
    }

    /// Does it and puts it off; says whether there is more of it at once.
    private func settle(_ due: Due) async throws -> Bool {
        guard let kind = kinds[due.kind] else { return false }
        var pause = kind.period
        do {
            if try await kind.work(database) { pause = .zero }
        } catch {
            if error is CancellationError { throw error }
            failed(due.kind, error)
            pause = Self.patience
        }
        try await database.run(PutOff(due: due, by: pause))
        return pause == .zero
    }
}

/// A deadline that somebody is at.
struct Due: Sendable {
    let kind: String
    /// Until when it is theirs.
    let until: Timestamp
}

/// Takes what has been due for longest, of what nobody is at.
struct TakeDue: Statement {
    static let sql = """
        UPDATE deadlines SET due_at = clock_timestamp() + make_interval(secs => $2)
        WHERE (kind, subject) = (
            SELECT kind, subject FROM deadlines WHERE due_at <= statement_timestamp() AND kind = ANY ($1)
            ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING kind, due_at
        """
    let kinds: [String]
    let time: Duration

    func bind(into parameters: inout Parameters) {
        parameters.add(kinds)
        parameters.add(time / .seconds(1))
    }

    static func decode(_ row: inout RowReader) throws -> Due { Due(kind: try row.read(), until: try row.read()) }
}

/// Sets when it is due again, unless somebody else has taken it meanwhile.
struct PutOff: Statement {
    static let sql = """
        UPDATE deadlines SET due_at = clock_timestamp() + make_interval(secs => $3) WHERE kind = $1 AND due_at = $2
        """
    let due: Due
    let by: Duration

    func bind(into parameters: inout Parameters) {
        parameters.add(due.kind)
        parameters.add(due.until)
        parameters.add(by / .seconds(1))
    }
}

/// What nobody has ever done is due at once. It is about nothing in particular.
struct SetDeadlines: Statement {
    static let sql = """
        INSERT INTO deadlines (kind, subject, due_at)
        SELECT kind, '00000000-0000-0000-0000-000000000000', '-infinity' FROM unnest($1::text[]) AS kind
        ON CONFLICT DO NOTHING
        """
    let kinds: [String]

    func bind(into parameters: inout Parameters) { parameters.add(kinds) }
}
