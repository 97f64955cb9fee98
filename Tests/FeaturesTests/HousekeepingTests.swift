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

        func keeper(_ name: String, _ api: API, _ jobs: Housekeeping.Job...) -> Housekeeping {
            Housekeeping(api.database, jobs: jobs) { job, error in self.write("\(name): \(job) failed, \(error)") }
        }
    }

    /// The turn is anybody's.
    private func freeTurn(_ api: API) async throws {
        try await api.execute("UPDATE housekeeping SET turn_until = '-infinity'")
    }

    @Test func oneNodeAtATimeAndWhatFailsIsToldAndHoldsUpNothing() async throws {
        try await API.serving { api in
            let diary = Diary()
            let failing = Housekeeping.Job(name: "first") { _ in throw Broken() }
            let second = Housekeeping.Job(name: "second") { _ in
                diary.write("second")
                return false
            }
            // The server's own may have had it.
            try await freeTurn(api)
            await diary.keeper("here", api, failing, second).round()
            await diary.keeper("there", api, failing, second).round()
            #expect(diary.lines.withLock { $0 } == ["here: first failed, Broken()", "second"])
            try await freeTurn(api)
            await diary.keeper("there", api, second).round()
            #expect(diary.lines.withLock { $0.count } == 3)
        }
    }

    /// There is always more of one thing: the others have their turn all the same.
    @Test func whatIsNeverDoneHoldsUpNothing() async throws {
        try await API.serving { api in
            let diary = Diary()
            let endless = Housekeeping.Job(name: "endless") { _ in true }
            let other = Housekeeping.Job(name: "other") { _ in
                diary.write("other")
                return false
            }
            try await freeTurn(api)
            await diary.keeper("here", api, endless, other).round()
            #expect(diary.lines.withLock { $0 } == ["other"])
            // Whoever is at it keeps the turn however long it takes, and then gives it back for the next minute.
            let during = Housekeeping.Job(name: "during") { _ in
                await diary.keeper("there", api, other).round()
                return false
            }
            try await freeTurn(api)
            await diary.keeper("here", api, during).round()
            #expect(diary.lines.withLock { $0 } == ["other"])
            let left = try await api.execute("SELECT turn_until < now() + interval '1 minute' FROM housekeeping")
            #expect(left == [["t"]])
        }
    }

    @Test func whatIsOutdatedGoesAndWhatIsNotStays() async throws {
        try await API.serving { api in
            let store = try await api.store()
            try await api.execute(
                """
                INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
                SELECT gen_random_uuid(), '\(store.id)', sha256(n::text::bytea), now() - interval '1 second', '127.0.0.1'
                FROM generate_series(1, 700) n
                """)
            #expect(try await api.database.run(RemoveOutdated()) == [true])
            #expect(try await api.database.run(RemoveOutdated()) == [false])
            #expect(try await api.execute("SELECT count(*) FROM sessions") == [["1"]])
        }
    }
}
