import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10)))
struct LoopTests {
    private actor Elsewhere {
        func visit() -> Bool { EventLoop.current == nil }
    }

    @concurrent
    private static func concurrently() async -> EventLoop? { EventLoop.current }

    @Test func `a task stays on its loop across every await`() async throws {
        try await withLoops(2) { group in
            for loop in group.loops {
                let places = try await loop.run {
                    var places = [loop.isCurrent]
                    await Task.yield()
                    places.append(loop.isCurrent)
                    _ = await Elsewhere().visit()
                    places.append(loop.isCurrent)
                    places.append(await Self.concurrently() === loop)
                    try await loop.sleep(for: .milliseconds(1))
                    places.append(loop.isCurrent)
                    return places
                }
                #expect(places == Array(repeating: true, count: 5))
            }
            #expect(EventLoop.current == nil)
        }
    }

    @Test func `child tasks run on the loop of their parent`() async throws {
        try await withLoop { loop in
            let places = await loop.run {
                await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            await Task.yield()
                            return loop.isCurrent
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(places == Array(repeating: true, count: 100))
        }
    }

    @Test func `a task goes from loop to loop and back`() async throws {
        try await withLoops(2) { group in
            let (first, second) = (group.loops[0], group.loops[1])
            let places = await first.run {
                let there = await second.run { EventLoop.current?.index }
                return [there, EventLoop.current?.index]
            }
            #expect(places == [1, 0])
        }
    }

    @Test func `a plain function runs on the loop too`() async throws {
        try await withLoop { loop in
            let plain: @Sendable () -> Bool = { loop.isCurrent }
            let throwing: @Sendable () throws -> Bool = { loop.isCurrent }
            let places = [await loop.run(plain), try await loop.run(throwing)]
            #expect(places == [true, true])
        }
    }

    @Test func `execute wakes a sleeping loop`() async throws {
        try await withLoop { loop async throws in
            let arrivals = Mailbox<Bool>()
            // After each arrival the loop has nothing to do and no timer, so it sleeps until it is woken.
            for _ in 0..<500 {
                loop.execute { arrivals.put(loop.isCurrent) }
                #expect(try await arrivals.next())
            }
        }
    }

    @Test func `enqueue wakes a sleeping loop`() async throws {
        try await withLoop { loop in
            for number in 0..<500 {
                let task = Task(executorPreference: loop) { loop.isCurrent ? number : -1 }
                #expect(await task.value == number)
            }
        }
    }

    @Test func `nothing that many threads leave for a loop is lost`() async throws {
        try await withLoop { loop in
            let counter = Counter(on: loop)
            let done = Mailbox<Void>()
            let threads = try (0..<4).map { number in
                try Thread(name: "left-\(number)") {
                    for _ in 0..<2_500 { loop.execute { counter.add() } }
                    loop.execute { done.put(()) }
                }
            }
            _ = try await done.next(threads.count)
            for thread in threads { thread.join() }
            #expect(try await loop.ask { counter.count } == 10_000)
        }
    }

    @Test func `work of one thread is done in its order`() async throws {
        try await withLoop { loop async throws in
            let order = Mailbox<Int>()
            for number in 0..<1_000 { loop.execute { order.put(number) } }
            #expect(try await order.next(1_000) == Array(0..<1_000))
        }
    }

    @Test func `execute on the loop itself is done at once`() async throws {
        try await withLoop { loop in
            let counter = Counter(on: loop)
            let countRightAfter = await loop.run {
                loop.execute { counter.add() }
                return counter.count
            }
            #expect(countRightAfter == 1)
        }
    }

    @Test func `every loop is asked in order`() async throws {
        try await withLoops(3) { group in
            let answers = await group.onEachLoop { loop in [loop.index, EventLoop.current?.index] }
            #expect(answers == [[0, 0], [1, 1], [2, 2]])
        }
    }

    @Test func `an error thrown on a loop reaches the caller`() async throws {
        struct Refusal: Error {}
        try await withLoop { loop in
            await #expect(throws: Refusal.self) { try await loop.run { throw Refusal() } }
        }
    }

    @Test func `stopping finishes what runs and joins the threads`() throws {
        let group = try EventLoopGroup(count: 2)
        let finished = Atomic(0)
        let under = Latch()
        for loop in group.loops {
            loop.execute {
                under.wait()
                finished.add(1, ordering: .sequentiallyConsistent)
            }
        }
        under.open()
        group.stop()
        #expect(finished.load(ordering: .sequentiallyConsistent) == 2)
    }

    @Test func `a machine has at least one core`() {
        #expect(EventLoopGroup.coreCount >= 1)
    }
}
