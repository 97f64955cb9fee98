import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10)))
struct FileTests {
    /// A watched pipe that does something when it is ready. Confined to its loop.
    private final class Watched: FileEvents, @unchecked Sendable {
        let loop: EventLoop
        let pipe = openPipe()
        let happened: @Sendable (FileReadiness) -> Void
        private var token: FileToken?

        init(
            on loop: EventLoop, for interest: FileReadiness = .readable,
            _ happened: @escaping @Sendable (FileReadiness) -> Void
        )
            throws
        {
            self.loop = loop
            self.happened = happened
            token = try loop.watch(pipe.read, for: interest, handler: self)
        }

        var slot: Int? { token?.slot }

        func ready(_ readiness: FileReadiness) {
            happened(readiness)
        }

        func drain() {
            var byte: UInt8 = 0
            _ = read(pipe.read, &byte, 1)
        }

        func rewatch(for interest: FileReadiness) {
            if let token { loop.rewatch(token, file: pipe.read, for: interest) }
        }

        func end() {
            guard let token else { return }
            self.token = nil
            loop.unwatch(token, file: pipe.read)
            close(pipe.read)
            close(pipe.write)
        }
    }

    /// Two pipes that are ready in the same turn. The one that is told first closes the other and puts a third in its
    /// place, which has the same descriptor and the same slot.
    private final class Pair: @unchecked Sendable {
        let told = Mailbox<String>()
        var pipes: [Watched] = []
        var third: Watched?

        func begin(on loop: EventLoop) throws {
            for number in 0..<2 {
                pipes.append(try Watched(on: loop) { [self] _ in first(number, loop) })
            }
            for watched in pipes { makeReadable(watched.pipe.write) }
        }

        private func first(_ number: Int, _ loop: EventLoop) {
            let other = pipes[1 - number]
            let (file, slot) = (other.pipe.read, other.slot)
            other.end()
            third = try? Watched(on: loop) { [self] _ in told.put("third") }
            told.put(third?.pipe.read == file && third?.slot == slot ? "one" : "one, and nothing was reused")
            pipes[number].end()
        }

        /// What it holds holds it.
        func end() {
            third?.end()
            third = nil
            pipes = []
        }
    }

    @Test func `events of a file are told on its loop`() async throws {
        try await withLoop { loop in
            let told = Mailbox<(FileReadiness, Bool)>()
            let watched = try await loop.run { try Watched(on: loop) { told.put(($0, loop.isCurrent)) } }
            makeReadable(watched.pipe.write)
            let (readiness, isOnLoop) = try await told.next()
            #expect(readiness.contains(.readable) && isOnLoop)
            await loop.run { watched.end() }
        }
    }

    // The whole process shares descriptors, and other tests open some too, so reuse may take several attempts.
    @Test func `an event for a closed and reused descriptor reaches nobody`() async throws {
        try await withLoop { loop in
            var wasReused = false
            for _ in 0..<1_000 where !wasReused {
                let pair = Pair()
                try await loop.run { try pair.begin(on: loop) }
                wasReused = try await pair.told.next() == "one"
                // When another task has had its turn, the first turn has reported everything.
                await loop.run { pair.told.put("nothing") }
                #expect(try await pair.told.next() == "nothing")
                await loop.run { pair.end() }
            }
            #expect(wasReused)
        }
    }

    @Test func `a file that is no longer watched is quiet, and its handler is freed`() async throws {
        try await withLoop { loop in
            let told = Mailbox<String>()
            weak let freed = try await loop.run {
                let watched = try Watched(on: loop) { _ in told.put("ended") }
                makeReadable(watched.pipe.write)
                watched.end()
                return watched
            }
            let other = try await loop.run { try Watched(on: loop) { _ in told.put("other") } }
            makeReadable(other.pipe.write)
            #expect(try await told.next() == "other")
            #expect(freed == nil)
            await loop.run { other.end() }
        }
    }

    @Test func `the interest in a file can be changed`() async throws {
        try await withLoop { loop in
            let told = Mailbox<FileReadiness>()
            let watched = try await loop.run { try Watched(on: loop, for: []) { told.put($0) } }
            makeReadable(watched.pipe.write)
            try await loop.run { try await loop.sleep(for: .milliseconds(2)) }
            await loop.run {
                told.put([])
                watched.rewatch(for: [.readable, .edges])
            }
            // Events from before the change would have been reported first.
            #expect(try await told.next() == [])
            #expect(try await told.next() == .readable)
            await loop.run { watched.end() }
        }
    }

    @Test func `edges are told once, levels again and again`() async throws {
        try await withLoop { loop in
            let (edges, levels) = (Mailbox<String>(), Mailbox<Void>())
            let edge = try await loop.run {
                try Watched(on: loop, for: [.readable, .edges]) { _ in edges.put("edge") }
            }
            let level = try await loop.run { try Watched(on: loop) { _ in levels.put(()) } }
            makeReadable(edge.pipe.write)
            makeReadable(level.pipe.write)
            _ = try await levels.next(10)
            await loop.run { edges.put("end") }
            #expect(try await edges.next(2) == ["edge", "end"])
            await loop.run {
                edge.end()
                level.end()
            }
        }
    }

    @Test func `the end of the other side is told`() async throws {
        try await withLoop { loop in
            var ends: [Int32] = [0, 0]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let (ours, theirs) = (ends[0], ends[1])
            let told = Mailbox<FileReadiness>()
            final class Ears: FileEvents {
                let told: Mailbox<FileReadiness>
                init(_ told: Mailbox<FileReadiness>) { self.told = told }
                func ready(_ readiness: FileReadiness) { told.put(readiness) }
            }
            let token = try await loop.run {
                try loop.watch(ours, for: [.readable, .peerClosed, .edges], handler: Ears(told))
            }
            shutdown(theirs, Int32(SHUT_WR))
            #expect(try await told.next().contains(.peerClosed))
            close(theirs)
            #expect(try await told.next().isDisjoint(with: .broken) == false)
            await loop.run { loop.unwatch(token, file: ours) }
            close(ours)
        }
    }

    @Test func `slots are used again`() async throws {
        try await withLoop { loop in
            let slots = try await loop.run {
                for _ in 0..<1_000 { try Watched(on: loop) { _ in }.end() }
                return loop.files.count
            }
            #expect(slots == 1)
        }
    }

    @Test func `a descriptor that cannot be watched is refused and takes no slot`() async throws {
        try await withLoop { loop in
            await #expect(throws: SystemError.self) {
                try await loop.run { _ = try loop.watch(-1, for: .readable, handler: Nobody()) }
            }
            let slots = try await loop.run {
                try Watched(on: loop) { _ in }.end()
                return loop.files.count
            }
            #expect(slots == 1)
        }
    }

    private final class Nobody: FileEvents {
        func ready(_ readiness: FileReadiness) {}
    }

    @Test func `tokens keep slot and generation apart`() {
        let token = FileToken(slot: 0xffff_fff0, generation: 0xffff_ffff)
        #expect(token.slot == 0xffff_fff0 && token.generation == 0xffff_ffff)
        #expect(FileToken(rawValue: token.rawValue).generation == token.generation)
    }
}
