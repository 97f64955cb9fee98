import EventLoop
import Postgres

/// Removes what time has made worthless, little by little, on one node at a time.
struct Housekeeping: Sendable {
    /// How often a job is done before the others have their turn.
    private static let mostTimes = 200
    /// More than a statement of these may take.
    private static let longest = "11 minutes"

    private let database: Database
    private let jobs: [Job]
    private let failed: @Sendable (_ job: String, any Error) -> Void

    /// Something that is done again and again; true when there is more of it to do at once.
    struct Job: Sendable {
        let name: String
        let run: @Sendable (Database) async throws -> Bool
    }

    /// `failed` is told what could not be done; it is tried again with the next round.
    init(_ database: Database, jobs: [Job], failed: @escaping @Sendable (_ job: String, any Error) -> Void) {
        self.database = database
        self.jobs = jobs
        self.failed = failed
    }

    /// Does it once a minute, and at once again where there is more, until the task is cancelled.
    func run(on loop: EventLoop) async {
        while !Task.isCancelled {
            if await !round() { try? await loop.sleep(for: .seconds(60)) }
        }
    }

    /// Does everything, unless a node did so within the last minute; true when something is left.
    func round() async -> Bool {
        do {
            guard try await database.run(TakeTurn()).first != nil else { return false }
        } catch {
            failed("turn", error)
            return false
        }
        var hasMore = false
        for job in jobs {
            do {
                if try await isLeft(of: job) { hasMore = true }
            } catch {
                failed(job.name, error)
            }
        }
        _ = try? await database.run(HoldTurn(for: hasMore ? "0 seconds" : "50 seconds"))
        return hasMore
    }

    /// Does a job until there is no more of it, or others have waited long enough.
    private func isLeft(of job: Job) async throws -> Bool {
        for _ in 0..<Self.mostTimes where !Task.isCancelled {
            try await database.run(HoldTurn(for: Self.longest))
            guard try await job.run(database) else { return false }
        }
        return true
    }
}

/// No row when another node has the turn. Whoever dies with it loses it in a while.
private struct TakeTurn: Statement {
    static let sql = """
        UPDATE housekeeping SET turn_until = now() + interval '50 seconds' WHERE turn_until < now() RETURNING true
        """
    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Keeps the turn for a while.
private struct HoldTurn: Statement {
    static let sql = "UPDATE housekeeping SET turn_until = now() + $1::text::interval"
    let time: String

    init(for time: String) { self.time = time }

    func bind(into parameters: inout Parameters) { parameters.add(time) }
}

/// Removes some of what is outdated, and says whether there may be more; few rows at a time, so that nobody waits for it.
struct RemoveOutdated: Statement {
    static let sql = """
        WITH sessions AS (
            DELETE FROM sessions WHERE id IN (
                SELECT id FROM sessions WHERE expires_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        keys AS (
            DELETE FROM idempotency_keys WHERE (account_id, key) IN (
                SELECT account_id, key FROM idempotency_keys WHERE created_at < now() - interval '24 hours'
                LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        buckets AS (
            DELETE FROM throttles WHERE subject IN (
                SELECT subject FROM throttles WHERE drained_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING 1),
        resets AS (
            DELETE FROM password_resets WHERE account_id IN (
                SELECT account_id FROM password_resets WHERE expires_at < now() LIMIT 500 FOR UPDATE SKIP LOCKED)
            RETURNING 1)
        SELECT greatest((SELECT count(*) FROM sessions), (SELECT count(*) FROM keys), (SELECT count(*) FROM buckets),
            (SELECT count(*) FROM resets)) = 500
        """

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
