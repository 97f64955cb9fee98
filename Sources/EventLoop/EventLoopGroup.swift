import CLinux
import Glibc

/// The loops of a process, each on a thread of its own.
public final class EventLoopGroup: Sendable {
    /// The loops, by index.
    public let loops: [EventLoop]
    private let threads: [Thread]

    /// Starts `count` loops: one a core, unless told otherwise.
    public init(count: Int = coreCount) throws {
        let loops = try (0..<count).map { try EventLoop(index: $0) }
        self.loops = loops
        threads = try loops.map { loop in try Thread(name: "loop-\(loop.index)") { loop.run() } }
    }

    /// How many cores this process may use.
    public static var coreCount: Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// Stops the loops and waits for their threads; nothing may be under way on them.
    public func stop() {
        for loop in loops { loop.stop() }
        for thread in threads { thread.join() }
    }

    /// Does something on each loop in turn.
    public func onEachLoop<Answer: Sendable>(
        _ work: @escaping @Sendable (EventLoop) throws -> Answer
    ) async rethrows -> [Answer] {
        var answers: [Answer] = []
        for loop in loops { answers.append(try await loop.run { try work(loop) }) }
        return answers
    }
}

/// A thread of the system, for what may not block the loops.
package final class Thread: Sendable {
    private let handle: pthread_t

    package init(name: String, _ body: @escaping @Sendable () -> Void) throws {
        var handle = pthread_t()
        let box = Unmanaged.passRetained(
            Body {
                clinux_name_this_thread(name)
                body()
            })
        let result = pthread_create(
            &handle, nil,
            { raw in
                Unmanaged<Body>.fromOpaque(raw!).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw SystemError("starting a thread", number: result)
        }
        self.handle = handle
    }

    package func join() {
        pthread_join(handle, nil)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
