import Domain
import EventLoop
import Postgres

/// Work that recurs, done by whichever node first sees that it is due.
package struct DueKind: Sendable {
    /// The name in its row.
    package let name: String
    let period: Duration
    let work: @Sendable (Database) async throws -> Bool

    /// `work` says whether there is more to do at once. It may be done twice if a node stalls in the middle of it.
    package static func recurring(
        _ name: String, every period: Duration, _ work: @escaping @Sendable (Database) async throws -> Bool
    ) -> DueKind {
        DueKind(name: name, period: period, work: work)
    }
}

/// Does the work that is due.
///
/// A deadline is a row. The node that finds it due moves it far enough ahead to do the work in peace, and then to when
/// the work is due again. So one node at a time does it, and another takes over if that one dies.
package struct Deadlines: Sendable {
    /// How late a node may notice a deadline.
    private static let pause = Duration.seconds(1)
    /// How long after a failure the work is tried again.
    private static let patience = Duration.seconds(60)
    /// How far a deadline is moved ahead while its work is done: longer than a statement may wait and take.
    private static let longest = Duration.seconds(1300)

    private let database: Database
    private let upkeep: Database
    private let kinds: [String: DueKind]
    private let failed: @Sendable (_ kind: String, any Error) -> Void

    /// The work is done on `upkeep`, and looked for on `database`, where nothing takes long. `failed` is told of each failure.
    /// The work is tried again, and other work goes on meanwhile.
    package init(
        _ database: Database, upkeep: Database, _ kinds: [DueKind],
        failed: @escaping @Sendable (_ kind: String, any Error) -> Void
    ) {
        (self.database, self.upkeep) = (database, upkeep)
        self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
        self.failed = failed
    }

    /// Looks once a second until the task is cancelled. Long work delays no other work.
    package func run(on loop: EventLoop) async {
        await withDiscardingTaskGroup { group in
            await loop.repeating(every: Self.pause, failed: { failed("deadlines", $0) }) {
                try await begin()
                while let due = try await take() {
                    group.addTask(executorPreference: loop) { await see(to: due) }
                }
            }
            group.cancelAll()
        }
    }

    /// Repeats the work while there is more, unless another node takes it first. After an error, and when this node ends, it falls due
    /// again.
    private func see(to due: Due) async {
        var next: Due? = due
        while let due = next {
            next = nil
            do {
                if try await settle(due) { next = try await take([due.kind]) }
            } catch {
                if !(error is CancellationError) { failed(due.kind, error) }
                await giveBack(due)
            }
        }
    }

    /// Has others do it who come by. What was cancelled may still say so; and a database that is away is waited for.
    private func giveBack(_ due: Due) async {
        let tries = Task.isCancelled ? 1 : 30
        await Task { [database] in
            for attempt in 0..<tries {
                if attempt > 0 { try? await Task.sleep(for: Self.pause) }
                if (try? await database.run(PutOff(due: due, by: .zero))) != nil { return }
            }
        }.value
    }

    /// Adds the deadlines that are not there yet.
    func begin() async throws {
        try await database.run(SetDeadlines(kinds: Array(kinds.keys)))
    }

    /// Takes the work that has been due longest and that nobody is doing; of all kinds, or of some.
    func take(_ wanted: [String]? = nil) async throws -> Due? {
        try await database.run(TakeDue(kinds: wanted ?? Array(kinds.keys), time: Self.longest)).first
    }

    /// Does the work and sets when it is due next; says whether there is more to do at once.
    func settle(_ due: Due) async throws -> Bool {
        guard let kind = kinds[due.kind] else { return false }
        var pause = kind.period
        do {
            if try await kind.work(upkeep) { pause = .zero }
        } catch {
            if error is CancellationError { throw error }
            failed(due.kind, error)
            pause = Self.patience
        }
        try await database.run(PutOff(due: due, by: pause))
        return pause == .zero
    }
}

/// A deadline whose work somebody has taken.
struct Due: Sendable {
    let kind: String
    /// Nobody else takes it before then.
    let until: Timestamp
}

/// Takes the deadline that has been due longest and that nobody has taken. What is due later than anything ever is was put off by a clock
/// that was ahead, and is due from now on.
struct TakeDue: Statement {
    static let sql = """
        WITH ahead AS (
            UPDATE deadlines SET due_at = statement_timestamp()
            WHERE due_at > statement_timestamp() + interval '1 hour' AND due_at < statement_timestamp() + interval '100 years')
        UPDATE deadlines SET due_at = clock_timestamp() + make_interval(secs => $2)
        WHERE kind = (
            SELECT kind FROM deadlines WHERE due_at <= statement_timestamp() AND kind = ANY ($1)
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

/// Adds deadlines for work that was never done: it is due at once. The table has a column for what the work is about, and the work here is
/// about everything.
struct SetDeadlines: Statement {
    static let sql = """
        INSERT INTO deadlines (kind, subject, due_at)
        SELECT kind, '00000000-0000-0000-0000-000000000000', '-infinity' FROM unnest($1::text[]) AS kind
        ON CONFLICT DO NOTHING
        """
    let kinds: [String]

    func bind(into parameters: inout Parameters) { parameters.add(kinds) }
}
