import EventLoop
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Product

@Suite(.database) struct DeadlineTests {
    private struct Broken: Error {}

    /// What happened, and what failed.
    private final class Diary: Sendable {
        private let lines = Locked<[String]>([])

        func write(_ line: String) { lines.withLock { $0.append(line) } }
        var pages: [String] { lines.withLock { $0 } }

        func node(_ name: String, _ session: DatabaseSession, _ kinds: DueKind...) -> Deadlines {
            Deadlines(session.database, upkeep: session.database, kinds) { kind, error in
                self.write("\(name): \(kind) failed, \(error)")
            }
        }

        func kind(_ name: String, hasMore: Bool = false) -> DueKind {
            .recurring(name, every: .seconds(60)) { _ in
                self.write(name)
                return hasMore
            }
        }
    }

    @Test func `due work happens once until it is due again`() async throws {
        try await DatabaseSession.with { session in
            let diary = Diary()
            let (here, there) = (
                diary.node("here", session, diary.kind("it")), diary.node("there", session, diary.kind("it"))
            )
            try await here.begin()
            try await there.begin()
            #expect(try await here.next())
            #expect(try await !there.next())
            #expect(diary.pages == ["it"])
            #expect(try await session.database.run(IsDueInAMinute(kind: "it")) == [true])
            try await session.database.run(Advance(minutes: 1))
            try await there.begin()
            #expect(try await there.next())
            #expect(diary.pages == ["it", "it"])
        }
    }

    @Test func `work that fails is told and holds up nothing`() async throws {
        try await DatabaseSession.with { session in
            let diary = Diary()
            let failing = DueKind.recurring("failing", every: .seconds(60)) { _ in throw Broken() }
            let node = diary.node("here", session, failing, diary.kind("other"))
            try await node.begin()
            while try await node.next() {}
            #expect(diary.pages.sorted() == ["here: failing failed, Broken()", "other"])
            #expect(try await session.database.run(IsDueInAMinute(kind: "failing")) == [true])
        }
    }

    /// One kind always has more work, and yet the others have their turn.
    @Test func `work that never ends holds up nothing`() async throws {
        try await DatabaseSession.with { session in
            let diary = Diary()
            let node = diary.node(
                "here", session, diary.kind("endless", hasMore: true), diary.kind("first"), diary.kind("second"))
            try await node.begin()
            for _ in 0..<6 { #expect(try await node.next()) }
            #expect(diary.pages.filter { $0 != "endless" }.sorted() == ["first", "second"])
        }
    }

    @Test func `work that takes long holds up nothing`() async throws {
        try await DatabaseSession.with { session in
            let diary = Diary()
            let long = DueKind.recurring("long", every: .seconds(60)) { _ in
                diary.write("long")
                try await eventually { Set(diary.pages).isSuperset(of: ["one", "other"]) }
                return false
            }
            let node = diary.node("here", session, long, diary.kind("one"), diary.kind("other"))
            let loop = session.group.loops[0]
            let running = Task(executorPreference: loop) { await node.run(on: loop) }
            try await eventually { try await session.database.run(IsDueInAMinute(kind: "long")) == [true] }
            #expect(diary.pages.sorted() == ["long", "one", "other"])
            running.cancel()
            await running.value
        }
    }

    /// One node works on it for so long that another takes it after all; the other one's time counts.
    @Test func `work that a node is at is left to it for long`() async throws {
        try await DatabaseSession.with { session in
            let diary = Diary()
            let there = diary.node("there", session, diary.kind("it"))
            let here = diary.node(
                "here", session,
                .recurring("it", every: .seconds(60)) { _ in
                    #expect(try await !there.next())
                    try await session.database.run(Advance(minutes: 22))
                    #expect(try await there.next())
                    return true
                })
            try await here.begin()
            #expect(try await here.next())
            #expect(diary.pages == ["it"])
            #expect(try await session.database.run(IsDueInAMinute(kind: "it")) == [true])
        }
    }

    @Test func `what its node leaves half done is due again at once`() async throws {
        try await DatabaseSession.with { session in
            let (diary, begun) = (Diary(), Locked(false))
            let node = diary.node(
                "here", session,
                .recurring("it", every: .seconds(60)) { _ in
                    begun.withLock { $0 = true }
                    try await Task.sleep(for: .seconds(3600))
                    return false
                })
            let loop = session.group.loops[0]
            let running = Task(executorPreference: loop) { await node.run(on: loop) }
            try await eventually { begun.withLock { $0 } }
            running.cancel()
            await running.value
            #expect(try await diary.node("there", session, diary.kind("it")).next())
            #expect(diary.pages == ["it"])
        }
    }

    @Test func `what a clock that was ahead has put off is due when it is right again`() async throws {
        try await DatabaseSession.with { session in
            let diary = Diary()
            let node = diary.node("here", session, diary.kind("it"))
            try await node.begin()
            #expect(try await node.next())
            try await session.database.run(Advance(minutes: -20 * 24 * 60))
            // Once to see that, and once to do it.
            #expect(try await !node.next())
            #expect(try await node.next())
            #expect(try await session.database.run(IsDueInAMinute(kind: "it")) == [true])
        }
    }

    /// An older node does not know the kind.
    @Test func `unknown work is left to the nodes that know it`() async throws {
        try await DatabaseSession.with { session in
            let diary = Diary()
            try await diary.node("new", session, diary.kind("new")).begin()
            #expect(try await !diary.node("old", session, diary.kind("old")).next())
            #expect(try await diary.node("new", session, diary.kind("new")).next())
        }
    }

    @Test func `outdated rows go, and all others stay`() async throws {
        try await DatabaseSession.with { session in
            try await session.database.run(WriteSessions())
            #expect(try await session.database.run(RemoveOutdated()) == [true])
            #expect(try await session.database.run(RemoveOutdated()) == [false])
            #expect(try await session.database.run(CountSessions()) == [10])
        }
    }
}

extension Deadlines {
    /// Does the work that has been due longest; false when there is none.
    fileprivate func next() async throws -> Bool {
        guard let due = try await take() else { return false }
        _ = try await settle(due)
        return true
    }
}

private struct Advance: Statement {
    static let sql = "UPDATE deadlines SET due_at = due_at - make_interval(mins => $1)"
    let minutes: Int32

    func bind(into parameters: inout Parameters) { parameters.add(minutes) }
}

private struct IsDueInAMinute: Statement {
    static let sql = """
        SELECT due_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 minute' FROM deadlines WHERE kind = $1
        """
    let kind: String

    func bind(into parameters: inout Parameters) { parameters.add(kind) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Seven hundred expired sessions, and ten that are not.
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
