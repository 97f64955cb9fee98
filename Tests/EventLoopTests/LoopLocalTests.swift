import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10)))
struct LoopLocalTests {
    /// Confined to its loop, like the values that these types exist for.
    private final class Tally {
        let loop: Int
        var count = 0

        init(_ loop: Int) {
            self.loop = loop
        }
    }

    @Test func `every loop has a value of its own, made on that loop`() async throws {
        try await withLoops(3) { group in
            let tallies = try await LoopLocal(group) { loop in
                #expect(loop.isCurrent)
                return Tally(loop.index)
            }
            for loop in group.loops {
                for _ in 0...loop.index { await loop.run { tallies.current?.count += 1 } }
            }
            let counts = await tallies.onEach { [$0.loop, $0.count] }
            #expect(counts == [[0, 1], [1, 2], [2, 3]])
        }
    }

    @Test func `a loop-local value is not there on other loops and threads`() async throws {
        try await withLoops(1) { group in
            let tallies = try await LoopLocal(group) { Tally($0.index) }
            #expect(tallies.current == nil)
            try await withLoops(2) { others async throws in
                for loop in others.loops { #expect(try await loop.ask { tallies.current == nil }) }
            }
        }
    }

    @Test func `onEach runs on every loop and answers in order`() async throws {
        try await withLoops(4) { group in
            let indexes = try await LoopLocal(group) { $0.index }
            let answers = await indexes.onEach { index in
                // The later loops answer first.
                try? await EventLoop.current?.sleep(for: .milliseconds(20 - 5 * index))
                return [index, EventLoop.current?.index]
            }
            #expect(answers == [[0, 0], [1, 1], [2, 2], [3, 3]])
        }
    }

    @Test func `a failure on one loop is thrown`() async throws {
        struct Refusal: Error {}
        try await withLoops(2) { group in
            await #expect(throws: Refusal.self) {
                _ = try await LoopLocal(group) { loop in if loop.index == 1 { throw Refusal() } }
            }
            let indexes = try await LoopLocal(group) { $0.index }
            await #expect(throws: Refusal.self) {
                try await indexes.onEach { index in if index == 1 { throw Refusal() } }
            }
        }
    }

    @Test func `a bound value is there on its loop`() async throws {
        try await withLoop { loop async throws in
            let bound = await loop.run { LoopBound(Tally(7), to: loop) }
            #expect(bound.loop === loop)
            #expect(try await loop.ask { bound.value.loop } == 7)
        }
    }

    @Test func `touching a bound value elsewhere ends the process`() async {
        await #expect(processExitsWith: .failure) {
            try await withLoop { loop in
                let bound = LoopBound(1, to: loop)
                _ = bound.value
            }
        }
    }
}
