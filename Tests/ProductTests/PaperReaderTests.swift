import API
import Domain
import EventLoop
import TestSupport
import Testing

@testable import Papers

/// Who reads papers when, where many want to.
@Suite struct PaperReaderTests {
    private let (ana, ivo, eva) = (ID(high: 1, low: 1), ID(high: 1, low: 2), ID(high: 1, low: 3))

    @Test func `accounts take turns, and each keeps its order`() {
        var turns = PaperTurns(mostOfOne: 1 << 20, most: 1 << 20)
        let done = Locked<[String]>([])
        func join(_ account: ID, _ name: String) {
            let turn = PaperTurns.Turn(bytes: 1) { done.withLock { $0.append(name) } }
            #expect(turns.join(account, turn) == nil)
        }
        for name in ["a1", "a2", "a3", "a4"] { join(ana, name) }
        turns.next()?.work()
        for name in ["i1", "i2"] { join(ivo, name) }
        join(eva, "e1")
        while let turn = turns.next() { turn.work() }
        #expect(done.withLock { $0 } == ["a1", "a2", "i1", "e1", "a3", "i2", "a4"])
    }

    @Test func `whoever has too much waiting is refused alone, and all are where there is no room for anybody`() {
        var turns = PaperTurns(mostOfOne: 20_000, most: 30_000)
        func join(_ account: ID, _ bytes: Int) -> String? { turns.join(account, .init(bytes: bytes) {})?.code }
        // However large it is, who has nothing waiting may wait.
        #expect(join(ana, 25_000) == nil)
        #expect(join(ana, 1) == "rate_limited")
        #expect(join(ivo, 1) == nil)
        #expect(join(ivo, 10_000) == "unavailable")
        // What is small holds something, too.
        #expect(join(eva, 1) == "unavailable")
        _ = turns.next()
        for _ in 0..<4 { #expect(join(ivo, 1) == nil) }
        #expect(join(ivo, 1) == "rate_limited")
        while turns.next() != nil {}
        #expect(join(ana, 30_000) == nil)
    }

    @Test(.timeLimit(.minutes(2))) func `a long list keeps nobody waiting for longer than a turn`() async throws {
        let reader = try PaperReader()
        let (hasBegun, isOpen, read) = (Locked(false), Locked(false), Locked(0))
        let long = Task {
            try await reader.read(Array(0..<1000), of: 1, for: ana) { _ in
                hasBegun.withLock { $0 = true }
                isOpen.wait { $0 ? () : nil }
                read.withLock { $0 += 1 }
            }
        }
        try await eventually { hasBegun.withLock { $0 } }
        let short = Task { try await reader.read([1], of: 1, for: ivo) { _ in read.withLock { $0 } } }
        try await eventually { reader.thread.waiting == 1 }
        isOpen.withLock { $0 = true }
        isOpen.wake()
        #expect(try await short.value == [PaperReader.atOnce])
        #expect(try await long.value.count == 1000)
        try await blocking { reader.stop() }
    }

    @Test func `who goes away waits no more, and others do`() async throws {
        let reader = try PaperReader()
        let (hasBegun, isOver) = (Locked(false), Locked(false))
        let first = Task {
            try await reader.read([1], of: 1, for: ana) { _ in
                hasBegun.withLock { $0 = true }
                isOver.wait { $0 ? () : nil }
            }
        }
        try await eventually { hasBegun.withLock { $0 } }
        let left = Task { try await reader.read([1], of: 1, for: ivo) { $0 } }
        let stays = Task { try await reader.read([1], of: 1, for: eva) { $0 } }
        left.cancel()
        await #expect(throws: CancellationError.self) { try await left.value }
        isOver.withLock { $0 = true }
        isOver.wake()
        #expect(try await stays.value == [1])
        _ = try await first.value
        try await blocking { reader.stop() }
    }
}
