import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10)))
struct TimerTests {
    @Test func `timers fire in the order of their deadlines`() async throws {
        try await withLoop { loop async throws in
            let fired = Mailbox<Int>()
            let delays = (1...40).shuffled()
            await loop.run {
                for delay in delays { loop.schedule(after: .milliseconds(delay * 2)) { fired.put(delay) } }
            }
            #expect(try await fired.next(40) == Array(1...40))
        }
    }

    @Test func `a timer fires on its loop and not before its time`() async throws {
        try await withLoop { loop in
            let fired = Mailbox<(Bool, Instant)>()
            let began = Instant.now
            await loop.run {
                _ = loop.schedule(after: .milliseconds(20)) { fired.put((loop.isCurrent, .now)) }
            }
            let (isOnLoop, instant) = try await fired.next()
            #expect(isOnLoop)
            #expect(instant >= began + .milliseconds(20))
        }
    }

    @Test func `a cancelled timer never fires`() async throws {
        try await withLoop { loop async throws in
            let fired = Mailbox<String>()
            await loop.run {
                let first = loop.schedule(after: .milliseconds(1)) { fired.put("cancelled") }
                first.cancel()
                loop.schedule(after: .milliseconds(10)) { fired.put("kept") }
            }
            #expect(try await fired.next() == "kept")
        }
    }

    @Test func `a timer can cancel another that is due in the same turn`() async throws {
        try await withLoop { loop async throws in
            let fired = Mailbox<String>()
            await loop.run {
                var second: Timer?
                loop.schedule(after: .zero) {
                    fired.put("first")
                    second?.cancel()
                }
                second = loop.schedule(after: .nanoseconds(1)) { fired.put("second") }
                loop.schedule(after: .milliseconds(5)) { fired.put("third") }
            }
            #expect(try await fired.next(2) == ["first", "third"])
        }
    }

    @Test func `timers may add timers`() async throws {
        try await withLoop { loop async throws in
            let fired = Mailbox<Int>()
            @Sendable func chain(_ number: Int) {
                fired.put(number)
                if number < 100 { loop.schedule(after: .zero) { chain(number + 1) } }
            }
            await loop.run { chain(0) }
            #expect(try await fired.next(101) == Array(0...100))
        }
    }

    @Test func `a timer that always adds another does not starve tasks`() async throws {
        try await withLoop { loop async throws in
            let counter = Counter(on: loop)
            @Sendable func again() {
                guard counter.count == 0 else { return }
                loop.schedule(after: .zero, again)
            }
            await loop.run { again() }
            await loop.run { counter.add() }
            #expect(try await loop.ask { counter.count } == 1)
        }
    }

    @Test func `cancelled timers are swept`() async throws {
        try await withLoop { loop in
            let most = await loop.run {
                var most = 0
                for _ in 0..<20_000 {
                    loop.schedule(after: .seconds(3600)) {}.cancel()
                    most = max(most, loop.timers.timers.count)
                }
                return most
            }
            #expect(most <= 128)
        }
    }

    @Test func `sweeping keeps the timers that are waited for`() async throws {
        try await withLoop { loop async throws in
            let fired = Mailbox<Int>()
            await loop.run {
                for number in 0..<500 {
                    loop.schedule(after: .milliseconds(30)) { fired.put(number) }
                    for _ in 0..<10 { loop.schedule(after: .seconds(3600)) {}.cancel() }
                }
            }
            #expect(Set(try await fired.next(500)) == Set(0..<500))
        }
    }

    @Test(arguments: 0..<20) func `the heap gives timers in sorted order`(_ seed: UInt64) {
        var random = Seed(seed)
        var heap = TimerHeap()
        var kept: [Int64] = []
        for _ in 0..<1_000 {
            let timer = Timer(deadline: Instant(nanoseconds: Int64.random(in: 0..<500, using: &random))) {}
            heap.insert(timer)
            if Bool.random(using: &random) { timer.cancel() } else { kept.append(timer.deadline.nanoseconds) }
        }
        var taken: [Int64] = []
        for now in stride(from: Int64(0), through: 500, by: 50) {
            let due = heap.takeDue(Instant(nanoseconds: now))
            #expect(due.allSatisfy { $0.deadline.nanoseconds <= now })
            taken += due.filter { !$0.isCancelled }.map(\.deadline.nanoseconds)
        }
        #expect(taken == kept.sorted())
        #expect(heap.next == nil)
    }

    @Test func `the wait for a timer is rounded up and bounded`() {
        var heap = TimerHeap()
        let now = Instant(nanoseconds: 1_000)
        #expect(heap.millisecondsToNext(from: now) == -1)
        heap.insert(Timer(deadline: now + .seconds(1_000_000)) {})
        #expect(heap.millisecondsToNext(from: now) == 60_000)
        heap.insert(Timer(deadline: now + .nanoseconds(1)) {})
        #expect(heap.millisecondsToNext(from: now) == 1)
        heap.insert(Timer(deadline: now) {})
        #expect(heap.millisecondsToNext(from: now) == 0)
    }

    @Test func `instants do not overflow`() {
        #expect(Instant.now + .seconds(Int64.max) == .distantFuture)
        #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
        #expect(Duration.milliseconds(1_500).inNanoseconds == 1_500_000_000)
        #expect((Instant(nanoseconds: 5) + .nanoseconds(7)).nanoseconds(since: Instant(nanoseconds: 2)) == 10)
    }
}
