import Domain
import EventLoop
import HTTP
import TestSupport
import Testing

@testable import API

/// What takes long, and how much of it one account has under way.
@Suite struct UnderWayTests {
    /// Who sends something, hangs up and sends again would else fill the line with what nobody waits for.
    @Test(.timeLimit(.minutes(10)))
    func `who goes away keeps its place until what it began is over`() async throws {
        let underWay = try UnderWay("test", waiting: 4, most: 4, mostOfOne: 1)
        let (ana, ivo) = (ID.new(), ID.new())
        let (hasBegun, isOver) = (Locked(false), Locked(false))
        let left = Task {
            try await underWay.run(for: ana) {
            } _: {
                hasBegun.withLock { $0 = true }
                isOver.wait { $0 ? () : nil }
            }
        }
        try await eventually { hasBegun.withLock { $0 } }
        left.cancel()
        await #expect(throws: CancellationError.self) { try await left.value }
        let other = Task { try await underWay.run(for: ivo, {}) { true } }
        await #expect(throws: Problem.self) { try await underWay.run(for: ana, {}) { true } }
        isOver.withLock { $0 = true }
        isOver.wake()
        #expect(try await other.value)
        #expect(try await underWay.run(for: ana, {}) { true })
        try await blocking { underWay.stop() }
    }

    /// Of a long list a few are worked on, and then it is the turn of who came after it.
    @Test(.timeLimit(.minutes(10)))
    func `who has much to do lets others go before its end`() async throws {
        let underWay = try UnderWay("test", waiting: 4, most: 4, mostOfOne: 1)
        let (hasBegun, isOpen, done) = (Locked(false), Locked(false), Locked(0))
        let long = Task {
            try await underWay.each(of: Array(0..<50), for: .new()) { number in
                hasBegun.withLock { $0 = true }
                isOpen.wait { $0 ? () : nil }
                done.withLock { $0 += 1 }
                return number
            }
        }
        try await eventually { hasBegun.withLock { $0 } }
        let short = Task { try await underWay.run(for: .new(), {}) { done.withLock { $0 } } }
        try await eventually { underWay.pool.waiting == 1 }
        isOpen.withLock { $0 = true }
        isOpen.wake()
        #expect(try await short.value == UnderWay.ofOneTurn)
        #expect(try await long.value == Array(0..<50))
        try await blocking { underWay.stop() }
    }

    /// Who goes away while it is asked for what there is to work on has no place any more, and who stays has it until its end.
    @Test func `a place that is held is given back once, however it ends`() async throws {
        let underWay = try UnderWay("test", waiting: 4, most: 1, mostOfOne: 1)
        let ana = ID.new()
        for _ in 0..<3 {
            await #expect(throws: CancellationError.self) {
                try await underWay.holding(for: ana) { _ in throw CancellationError() }
            }
            let answers = try await underWay.holding(for: ana) { place in
                let few = try await underWay.each(of: [1, 2], in: place) { $0 }
                await #expect(throws: Problem.self) { try await underWay.each(of: [0], for: ana) { $0 } }
                return try await few + underWay.each(of: Array(3...9), in: place) { $0 }
            }
            #expect(answers == Array(1...9))
        }
        #expect(try await underWay.each(of: [1], for: ana) { $0 } == [1])
        try await blocking { underWay.stop() }
    }

    @Test func `who waits and goes away gives its place back`() async throws {
        let underWay = try UnderWay("test", waiting: 4, most: 1, mostOfOne: 1)
        let ana = ID.new()
        for _ in 0..<3 {
            await #expect(throws: CancellationError.self) {
                try await underWay.run(for: ana) {
                    throw CancellationError()
                } _: {
                    true
                }
            }
            #expect(try await underWay.run(for: ana, {}) { true })
        }
        try await blocking { underWay.stop() }
    }
}
