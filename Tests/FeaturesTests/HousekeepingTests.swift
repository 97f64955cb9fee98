import EventLoop
import Postgres
import TestSupport
import Testing

@testable import Features

@Suite(.database) struct HousekeepingTests {
    private struct Broken: Error {}

    /// What was done, and what went wrong.
    private final class Diary: Sendable {
        let lines = Locked<[String]>([])

        func write(_ line: String) { lines.withLock { $0.append(line) } }

        func keeper(_ name: String, _ session: Session, _ jobs: Housekeeping.Job...) -> Housekeeping {
            Housekeeping(session.database, jobs: jobs) { job, error in self.write("\(name): \(job) failed, \(error)") }
        }
    }

    /// The turn is anybody's.
    private func freeTurn(_ session: Session) async throws {
        try await session.database.run(FreeTurn())
    }

    @Test func oneNodeAtATimeAndWhatFailsIsToldAndHoldsUpNothing() async throws {
        try await Session.with { session in
            let diary = Diary()
            let failing = Housekeeping.Job(name: "first") { _ in throw Broken() }
            let second = Housekeeping.Job(name: "second") { _ in
                diary.write("second")
                return false
            }
            try await freeTurn(session)
            _ = await diary.keeper("here", session, failing, second).round()
            _ = await diary.keeper("there", session, failing, second).round()
            #expect(diary.lines.withLock { $0 } == ["here: first failed, Broken()", "second"])
            try await freeTurn(session)
            _ = await diary.keeper("there", session, second).round()
            #expect(diary.lines.withLock { $0.count } == 3)
        }
    }

    /// There is always more of one thing: the others have their turn all the same.
    @Test func whatIsNeverDoneHoldsUpNothing() async throws {
        try await Session.with { session in
            let diary = Diary()
            let endless = Housekeeping.Job(name: "endless") { _ in true }
            let other = Housekeeping.Job(name: "other") { _ in
                diary.write("other")
                return false
            }
            try await freeTurn(session)
            #expect(await diary.keeper("here", session, endless, other).round())
            #expect(diary.lines.withLock { $0 } == ["other"])
            // What is left is taken up at once, by whichever node.
            #expect(await !diary.keeper("there", session, other).round())
            #expect(diary.lines.withLock { $0.count } == 2)
            // Whoever is at it keeps the turn however long it takes, and then gives it back for the next minute.
            let during = Housekeeping.Job(name: "during") { _ in
                _ = await diary.keeper("there", session, other).round()
                return false
            }
            try await freeTurn(session)
            _ = await diary.keeper("here", session, during).round()
            #expect(diary.lines.withLock { $0.count } == 2)
            #expect(try await session.database.run(IsFreeSoon()) == [true])
        }
    }

    @Test func whatIsOutdatedGoesAndWhatIsNotStays() async throws {
        try await Session.with { session in
            try await session.database.run(WriteSessions())
            #expect(try await session.database.run(RemoveOutdated()) == [true])
            #expect(try await session.database.run(RemoveOutdated()) == [false])
            #expect(try await session.database.run(CountSessions()) == [10])
        }
    }
}

private struct FreeTurn: Statement {
    static let sql = "UPDATE housekeeping SET turn_until = '-infinity'"
}

private struct IsFreeSoon: Statement {
    static let sql = "SELECT turn_until < now() + interval '1 minute' FROM housekeeping"
    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Seven hundred that are over, and ten that are not.
private struct WriteSessions: Statement {
    static let sql = """
        WITH account AS (
            INSERT INTO accounts (id, kind, password_hash, language)
            VALUES (gen_random_uuid(), 'store', '$scrypt$none', 'hr') RETURNING id)
        INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
        SELECT gen_random_uuid(), account.id, sha256(n::text::bytea),
            now() + CASE WHEN n > 700 THEN interval '1 day' ELSE interval '-1 second' END, '127.0.0.1'
        FROM account, generate_series(1, 710) n
        """
}

private struct CountSessions: Statement {
    static let sql = "SELECT count(*) FROM sessions"
    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
