import Glibc
import Synchronization

@testable import EventLoop

/// Runs a test on a group of its own, which ends with it.
func withLoops<Answer>(
    _ count: Int = 1, _ body: (EventLoopGroup) async throws -> Answer
) async throws -> Answer {
    let group = try EventLoopGroup(count: count)
    defer { group.stop() }
    return try await body(group)
}

/// Runs a test with one loop.
@discardableResult
func withLoop<Answer>(_ body: (EventLoop) async throws -> Answer) async throws -> Answer {
    try await withLoops { try await body($0.loops[0]) }
}

extension EventLoop {
    /// Does the same as `run`. `#expect` cannot look into that, because it throws only what its work throws.
    func ask<Answer: Sendable>(_ work: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        try await run { try work() }
    }
}

/// Holds threads back until it is opened.
final class Latch: Sendable {
    private let ends: (read: Int32, write: Int32)

    init() {
        ends = openPipe()
    }

    deinit {
        close(ends.read)
    }

    func wait() {
        var byte: UInt8 = 0
        _ = read(ends.read, &byte, 1)
    }

    /// To be called once.
    func open() {
        close(ends.write)
    }
}

func openPipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    // Programs that other tests start meanwhile would hold an end open.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    return (ends[0], ends[1])
}

func makeReadable(_ writeEnd: Int32) {
    var byte: UInt8 = 1
    precondition(write(writeEnd, &byte, 1) == 1)
}

/// Counts on the loop's thread alone.
final class Counter: @unchecked Sendable {
    private let loop: EventLoop
    private var stored = 0

    /// Unchecked, because both ways to it assert the loop's thread.
    init(on loop: EventLoop) {
        self.loop = loop
    }

    var count: Int {
        precondition(loop.isCurrent)
        return stored
    }

    func add() {
        precondition(loop.isCurrent)
        stored += 1
    }
}
