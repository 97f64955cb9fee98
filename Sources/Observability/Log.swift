import EventLoop
import HTTP
import Postgres

/// How log lines are written.
public enum LogFormat: String, Sendable {
    /// For people: `time level event=… name=value …`
    case text
    /// For programs: an object a line.
    case json
}

/// Writes a line for each event worth one: a finished request, or something that an operator wants to know.
///
/// On a loop, the lines of one turn are gathered and handed over together.
public final class Log: Sendable {
    private let sink: LogSink
    private let format: LogFormat
    private let tellsRequests: Bool
    private let buffers: LoopLocal<LogBuffer>

    /// A log in that format. Unless it tells of requests, what accounts ask for and do leaves no lines.
    public init(
        _ format: LogFormat, tellsRequests: Bool = true, sink: LogSink, on group: EventLoopGroup
    ) async throws {
        self.format = format
        self.tellsRequests = tellsRequests
        self.sink = sink
        buffers = try await LoopLocal(group) { loop in LogBuffer(loop: loop, sink: sink) }
    }

    /// Writes a line, if the event is worth one.
    public func observe(_ observation: Observation) {
        guard tellsRequests || !observation.isOfAccounts, let line = LogLine(observation) else { return }
        let lost = sink.takeLost()
        if lost > 0 { write(.lost(lines: lost)) }
        write(line)
    }

    private func write(_ line: LogLine) {
        if let buffer = buffers.current {
            buffer.add { line.write(as: format, clock: &$0, into: &$1) }
        } else {
            var (clock, bytes) = (LogClock(), [UInt8]())
            line.write(as: format, clock: &clock, into: &bytes)
            sink.write(bytes)
        }
    }
}

/// The lines of one loop's turn.
final class LogBuffer: TurnEnd {
    private let loop: EventLoop
    private let sink: LogSink
    private var clock = LogClock()
    private var bytes: [UInt8] = []

    init(loop: EventLoop, sink: LogSink) {
        self.loop = loop
        self.sink = sink
    }

    func add(_ write: (inout LogClock, inout [UInt8]) -> Void) {
        if bytes.isEmpty { loop.atEndOfTurn(self) }
        write(&clock, &bytes)
    }

    func turnEnded() {
        sink.write(bytes)
        bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 16)
    }
}
