import EventLoop
import TestSupport
import Testing

@testable import Crypto

/// Passwords are hashed in turn, so that nobody keeps others from signing in.
@Suite struct HashingLineTests {
    private typealias Turn = PasswordHasher.Turn

    /// Does `count` things in a place that is taken, in the order of `turns`, and says in which order they were done.
    private func order(_ turns: [(name: String, turn: Turn)]) async throws -> [String] {
        // However busy the machine is, nobody has waited for too long.
        let (line, gate, done) = (HashingLine(places: 1, patience: 3600), Gate(), Locked<[String]>([]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await line.take(.own) { await gate.wait() } }
            try await eventually { gate.isAwaited }
            for (place, (name, turn)) in turns.enumerated() {
                group.addTask { try await line.take(turn) { done.withLock { $0.append(name) } } }
                try await eventually { line.waiting == place + 1 }
            }
            gate.open()
            try await group.waitForAll()
        }
        return done.withLock { $0 }
    }

    @Test func `networks take turns`() async throws {
        let attacker = Turn(network: "a", isKnown: false)
        let turns = (1...8).map { ("a\($0)", attacker) } + [("b", Turn(network: "b", isKnown: false))]
        #expect(try await order(turns).prefix(2) == ["a1", "b"])
    }

    @Test func `whoever is known comes first`() async throws {
        let turns = (1...8).map { ("a\($0)", Turn(network: "a\($0)", isKnown: false)) }
        #expect(try await order(turns + [("known", Turn(network: "a1", isKnown: true))]).first == "known")
    }

    @Test func `one in five is not known yet, however many are`() async throws {
        let turns = (1...12).map { ("known\($0)", Turn(network: "a\($0)", isKnown: true)) }
        let done = try await order(turns + [("new", Turn(network: "b", isKnown: false))])
        #expect(done.firstIndex(of: "new") == 4)
    }

    /// Two hundred wrong sign-ins from one network: most are refused at once, and another network's is not held up.
    @Test func `what cannot begin in time is refused at once`() async throws {
        let (line, gate) = (HashingLine(places: 1), Gate())
        let refused = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await line.take(.own) { await gate.wait() } }
            try await eventually { gate.isAwaited }
            for _ in 0..<200 {
                group.addTask {
                    do {
                        try await line.take(Turn(network: "a", isKnown: false)) {}
                    } catch is PasswordHasher.Busy {
                        refused.withLock { $0 += 1 }
                    }
                }
            }
            try await eventually { refused.withLock { $0 } + line.waiting == 200 }
            // As many as fit into three seconds wait.
            #expect((1...30).contains(line.waiting))
            let waiting = line.waiting
            // On a busy machine all of them may have waited for too long before the gate opens.
            group.addTask { _ = try? await line.take(Turn(network: "b", isKnown: false)) {} }
            try await eventually { line.waiting == waiting + 1 }
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test func `whoever goes away leaves the line`() async throws {
        let (line, gate) = (HashingLine(places: 1), Gate())
        let first = Task { try await line.take(.own) { await gate.wait() } }
        try await eventually { gate.isAwaited }
        let second = Task { try await line.take(.own) {} }
        try await eventually { line.waiting == 1 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(line.waiting == 0)
        gate.open()
        try await first.value
        try await line.take(.own) {}
    }
}

/// Something to wait for.
private final class Gate: Sendable {
    private let state = Locked<(isOpen: Bool, waiting: CheckedContinuation<Void, Never>?)>((false, nil))

    var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}
