import CLinux
import Glibc

/// The loops of a process, each on a thread of its own.
public final class EventLoopGroup: Sendable {
    /// The loops, by index.
    public let loops: [EventLoop]
    private let threads: [Thread]

    /// Starts `count` loops; without it, one a core.
    public init(count: Int = coreCount) throws {
        let loops = try (0..<count).map { try EventLoop(index: $0) }
        self.loops = loops
        threads = try loops.map { loop in try Thread(name: "loop-\(loop.index)") { loop.run() } }
    }

    private init(sharing loops: [EventLoop]) {
        self.loops = loops
        threads = []
    }

    /// The first loop alone, for parts that a process needs once. It is stopped with the group.
    public var first: EventLoopGroup { EventLoopGroup(sharing: [loops[0]]) }

    /// How many cores this process may use: those that it is allowed on, limited by the quota of its control group.
    public static var coreCount: Int {
        let allowed = Int(clinux_allowed_cores())
        return max(1, min(allowed > 0 ? allowed : sysconf(Int32(_SC_NPROCESSORS_ONLN)), coresPaidFor ?? .max))
    }

    /// The quota of `cpu.max`, as in `150000 100000`, in whole cores; nil when there is none.
    private static var coresPaidFor: Int? {
        guard let file = fopen("/sys/fs/cgroup/cpu.max", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 2, numbers[1] > 0 else { return nil }
        return (numbers[0] + numbers[1] - 1) / numbers[1]
    }

    /// Stops the loops and waits for their threads. Nothing may be under way on them.
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

/// A thread of the system, for work that may not block the loops.
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
