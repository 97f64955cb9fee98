import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10)))
struct BlockingPoolTests {
    private func withPool<Answer>(
        threads: Int = 1, waiting: Int = 100, _ body: (BlockingPool) async throws -> Answer
    ) async throws -> Answer {
        let pool = try BlockingPool(name: "test", threads: threads, waiting: waiting)
        do {
            let answer = try await body(pool)
            try await blocking { pool.stop() }
            return answer
        } catch {
            try await blocking { pool.stop() }
            throw error
        }
    }

    /// Keeps a thread of the pool busy until the latch opens; returns when the thread is busy.
    private func occupy(_ pool: BlockingPool, until latch: Latch) async throws {
        let begun = Mailbox<Void>()
        #expect(
            pool.submit {
                begun.put(())
                latch.wait()
            })
        try await begun.next()
    }

    @Test func `work answers or throws`() async throws {
        struct Refusal: Error {}
        try await withPool { pool async throws in
            #expect(try await pool.run { 6 * 7 } == 42)
            await #expect(throws: Refusal.self) { try await pool.run { throw Refusal() } }
        }
    }

    @Test func `work never runs on a loop, and its task comes back to the loop`() async throws {
        try await withPool(threads: 2) { pool in
            try await withLoop { loop in
                let (there, back) = try await loop.run {
                    let there = try await pool.run { EventLoop.current == nil }
                    return (there, loop.isCurrent)
                }
                #expect(there && back)
            }
        }
    }

    @Test func `a loop goes on while work blocks`() async throws {
        try await withPool { pool in
            try await withLoop { loop in
                let latch = Latch()
                let blocked = Task(executorPreference: loop) { try await pool.run { latch.wait() } }
                try await loop.run { try await loop.sleep(for: .milliseconds(2)) }
                latch.open()
                try await blocked.value
            }
        }
    }

    @Test func `work beyond the queue is refused`() async throws {
        try await withPool(waiting: 2) { pool in
            let latch = Latch()
            try await occupy(pool, until: latch)
            #expect(pool.submit {} && pool.submit {})
            #expect(pool.waiting == 2)
            #expect(!pool.submit {})
            await #expect(throws: BlockingPool.Full.self) { try await pool.run {} }
            latch.open()
            // The queue empties, and there is room again.
            try await eventually { pool.waiting == 0 }
            try await pool.run {}
        }
    }

    @Test func `work is done in turn, however much somebody wants`() async throws {
        try await withPool { pool in
            let (latch, done) = (Latch(), Locked<[String]>([]))
            try await occupy(pool, until: latch)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, name) in ["ana", "ana", "ana", "ivo", "eva", "ivo"].enumerated() {
                    group.addTask { try await pool.run(for: name) { done.withLock { $0.append(name) } } }
                    try await eventually { pool.waiting == place + 1 }
                }
                latch.open()
                try await group.waitForAll()
            }
            #expect(done.withLock { $0 } == ["ana", "ivo", "eva", "ana", "ivo", "ana"])
        }
    }

    @Test func `cancelled work that still waits is dropped`() async throws {
        try await withPool { pool in
            let latch = Latch()
            try await occupy(pool, until: latch)
            let ran = Mailbox<String>()
            let waiting = Task { try await pool.run { ran.put("cancelled") } }
            try await eventually { pool.waiting > 0 }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            latch.open()
            try await pool.run { ran.put("kept") }
            #expect(try await ran.next() == "kept")
        }
    }

    @Test func `cancelled work under way is finished but not waited for`() async throws {
        try await withPool { pool async throws in
            let latch = Latch()
            let steps = Mailbox<String>()
            let running = Task {
                try await pool.run {
                    steps.put("begun")
                    latch.wait()
                    steps.put("finished")
                }
            }
            #expect(try await steps.next() == "begun")
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            latch.open()
            #expect(try await steps.next() == "finished")
        }
    }

    @Test func `a task cancelled beforehand is not served`() async throws {
        try await withPool { pool in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await pool.run { Issue.record("work of a cancelled task ran") }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            try await pool.run {}
        }
    }

    @Test func `as much work runs at once as there are threads`() async throws {
        try await withPool(threads: 3) { pool in
            let latch = Latch()
            for _ in 0..<3 { try await occupy(pool, until: latch) }
            #expect(pool.submit {})
            #expect(pool.waiting == 1)
            latch.open()
        }
    }

    @Test func `stopping finishes the queue and refuses more work`() async throws {
        let pool = try BlockingPool(name: "test", threads: 2, waiting: 1_000)
        let done = Atomic(0)
        for _ in 0..<500 { pool.submit { done.add(1, ordering: .sequentiallyConsistent) } }
        pool.stop()
        #expect(done.load(ordering: .sequentiallyConsistent) == 500)
        #expect(!pool.submit {})
        await #expect(throws: BlockingPool.Full.self) { try await pool.run {} }
    }
}

/// The priority of a pool's threads.
@Suite struct BlockingPoolPriorityTests {
    @Test(arguments: [(BlockingPool.Priority.usual, false), (.background, true)])
    func `background threads give way to others`(_ priority: BlockingPool.Priority, _ givesWay: Bool) async throws {
        let pool = try BlockingPool(name: "test", threads: 1, waiting: 1, priority: priority)
        defer { pool.stop() }
        let nice = try await pool.run { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
        #expect((nice == 10) == givesWay)
    }
}
