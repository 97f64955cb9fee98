import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10)))
struct TurnTests {
    /// Comes back at the end of every turn until it is stopped. Confined to one loop.
    private final class Again: TurnEnd, @unchecked Sendable {
        let loop: EventLoop
        var calls = 0
        var isStopped = false

        init(_ loop: EventLoop) {
            self.loop = loop
        }

        func turnEnded() {
            calls += 1
            if !isStopped { loop.atEndOfTurn(self) }
        }
    }

    /// Says that its file is ready.
    private final class Notice: FileEvents {
        let happened: Mailbox<String>

        init(_ happened: Mailbox<String>) {
            self.happened = happened
        }

        func ready(_ readiness: FileReadiness) {
            happened.put("file")
        }
    }

    /// Watches a readable file and sets a timer; returns when both have had their turn.
    private func expectFileAndTimer(on loop: EventLoop) async throws {
        let happened = Mailbox<String>()
        let pipe = openPipe()
        makeReadable(pipe.write)
        let token = try await loop.run {
            loop.schedule(after: .milliseconds(5)) { happened.put("timer") }
            return try loop.watch(pipe.read, for: [.readable, .edges], handler: Notice(happened))
        }
        #expect(Set(try await happened.next(2)) == ["file", "timer"])
        await loop.run { loop.unwatch(token, file: pipe.read) }
        close(pipe.read)
        close(pipe.write)
    }

    @Test func `a task that is always ready leaves files and timers their turn`() async throws {
        try await withLoop { loop in
            let greedy = Task(executorPreference: loop) {
                while !Task.isCancelled { await Task.yield() }
            }
            try await expectFileAndTimer(on: loop)
            greedy.cancel()
            await greedy.value
        }
    }

    @Test func `work that comes back every turn leaves files and timers their turn`() async throws {
        try await withLoop { loop in
            let again = Again(loop)
            await loop.run { loop.atEndOfTurn(again) }
            try await expectFileAndTimer(on: loop)
            await loop.run { again.isStopped = true }
        }
    }

    @Test func `a call for the end of a turn is made once`() async throws {
        try await withLoop { loop in
            let once = Again(loop)
            await loop.run {
                once.isStopped = true
                loop.atEndOfTurn(once)
            }
            for _ in 0..<3 { try await loop.run { try await loop.sleep(for: .milliseconds(1)) } }
            #expect(try await loop.ask { once.calls } == 1)
        }
    }

    @Test func `every turn is counted by how long it took`() async throws {
        try await withLoop { loop in
            let before = await loop.run { loop.turns }
            await loop.run { _ = usleep(30_000) }
            let after = await loop.run { loop.turns }
            let long = TurnStatistics.bounds.firstIndex(of: 25_000_000)! + 1
            #expect(after.buckets[long...].reduce(0, +) > before.buckets[long...].reduce(0, +))
            #expect(after.totalNanoseconds - before.totalNanoseconds >= 30_000_000)
        }
    }

    @Test func `buckets take their upper bound`() {
        var turns = TurnStatistics()
        for bound in TurnStatistics.bounds { turns.add(nanoseconds: bound) }
        turns.add(nanoseconds: TurnStatistics.bounds.last! + 1)
        #expect(turns.buckets == Array(repeating: 1, count: TurnStatistics.bounds.count + 1))
    }

    @Test func `the time of a loop is that of its turn`() async throws {
        try await withLoop { loop async throws in
            let (first, second) = await loop.run {
                let first = loop.now
                usleep(2_000)
                return (first, loop.now)
            }
            #expect(first == second)
            #expect(try await loop.ask { loop.now } > second)
        }
    }
}
