import EventLoop
import Glibc

/// Lets log lines leave the process by a thread of its own, so that a slow reader stalls nothing else.
public final class LogSink: Sendable {
    private static let bound = 8 << 20
    private static let pauseMicroseconds: UInt32 = 10_000

    private let waiting = Locked(Waiting())
    private let writer: BlockingPool
    private let file: Int32

    private struct Waiting {
        var bytes: [UInt8] = []
        var lost = 0
        var isBeingWritten = false
    }

    /// Lines go to `file`, which stays open.
    public init(file: Int32) throws {
        self.file = file
        writer = try BlockingPool(name: "log", threads: 1, waiting: 1)
    }

    /// Takes whole lines. Lines that nobody reads for long are dropped, and counted.
    func write(_ lines: [UInt8]) {
        let mustStart = waiting.withLock { waiting in
            guard waiting.bytes.count < Self.bound else {
                waiting.lost += lines.count { $0 == UInt8(ascii: "\n") }
                return false
            }
            waiting.bytes += lines
            defer { waiting.isBeingWritten = true }
            return !waiting.isBeingWritten
        }
        if mustStart { writer.submit { self.writeWaiting() } }
    }

    /// How many lines were dropped since the last call.
    func takeLost() -> Int {
        waiting.withLock { waiting in
            defer { waiting.lost = 0 }
            return waiting.lost
        }
    }

    /// Waits until the remaining lines are written, and ends the thread. It waits only briefly if nobody reads.
    public func stop() {
        for _ in 0..<100 {
            guard waiting.withLock({ $0.isBeingWritten }) else { return writer.stop() }
            usleep(Self.pauseMicroseconds)
        }
    }

    /// Writes what waits, with a pause after each write, since a wake-up for every line would cost more than the line.
    private func writeWaiting() {
        while let bytes = take() {
            writeAll(bytes)
            usleep(Self.pauseMicroseconds)
        }
    }

    private func take() -> [UInt8]? {
        waiting.withLock { waiting in
            waiting.isBeingWritten = !waiting.bytes.isEmpty
            guard waiting.isBeingWritten else { return nil }
            defer { waiting.bytes = [] }
            return waiting.bytes
        }
    }

    /// Writes all bytes. It waits while the file takes no more, and gives up if the file is broken.
    private func writeAll(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EAGAIN {
                var writable = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                poll(&writable, 1, -1)
            } else if count < 0, errno != EINTR {
                return
            }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
