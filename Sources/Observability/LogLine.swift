import HTTP
import Postgres

/// One line of the log: a level, what happened, and its particulars.
struct LogLine {
    enum Level: String {
        case info, warning, error
    }

    enum Value {
        case text(String)
        case number(Int)
        /// Milliseconds with three decimals, from nanoseconds.
        case milliseconds(Int64)
    }

    let level: Level
    let event: StaticString
    let fields: [(name: StaticString, value: Value)]

    /// Lines had to be dropped, because nobody read the log for so long.
    static func lost(lines: Int) -> LogLine {
        LogLine(.warning, "lines lost", [("count", .number(lines))])
    }

    /// Nil for events that are only counted.
    init?(_ observation: Observation) {
        switch observation {
        case .http(let event): self.init(event)
        case .postgres(let event): self.init(event)
        case .process(let event): self.init(event)
        }
    }

    private init(_ level: Level, _ event: StaticString, _ fields: [(name: StaticString, value: Value)] = []) {
        self.level = level
        self.event = event
        self.fields = fields
    }

    private init?(_ event: HTTPEvent) {
        switch event {
        case .answered(let summary): self.init(summary)
        case .failed(let requestID, let route, let error):
            self.init(
                .error, "failed", [("request_id", .text(requestID)), ("route", .text(route)), ("error", .text(error))])
        case .turnedAway, .cutOff, .handshakeFailed: return nil
        case .certificateRenewed: self.init(.info, "certificate renewed")
        case .certificateRefused(let reason):
            self.init(
                .error, "certificate refused", [("reason", .text(reason)), ("goes_on_with", .text("the one before"))])
        case .cannotAccept(let reason): self.init(.error, "cannot accept", [("reason", .text(reason))])
        }
    }

    private init(_ summary: HTTPEvent.Summary) {
        var fields: [(name: StaticString, value: Value)] = [
            ("method", .text(summary.method ?? "-")), ("route", .text(summary.route ?? "-")),
            ("status", .number(summary.status)), ("duration_ms", .milliseconds(summary.nanoseconds)),
            ("request_id", .text(summary.requestID)),
        ]
        if let account = summary.account { fields.append(("account", .text(account))) }
        self.init(.info, "request", fields)
    }

    private init?(_ event: ProcessEvent) {
        switch event {
        case .step(let what): self.init(.info, "start", [("step", .text(what))])
        case .trouble(let what): self.init(.warning, "trouble", [("what", .text(what))])
        case .jobFailed(let job, let reason):
            self.init(.error, "job failed", [("job", .text(job)), ("error", .text(reason))])
        case .budgetUsed(let kind, let subject, let percent):
            self.init(
                .warning, "security",
                [
                    ("kind", .text(percent < 100 ? "budget.nearly_spent" : "budget.spent")), ("budget", .text(kind)),
                    ("of", .text(subject)), ("used_percent", .number(percent)),
                ])
        case .asked(let service, let outcome, let news):
            guard let news else { return nil }
            self.init(
                outcome == "failed" ? .warning : .info, "service", [("name", .text(service)), ("what", .text(news))])
        case .listening(let address, let admin):
            self.init(.info, "listening", [("address", .text(address)), ("admin", .text(admin ?? "off"))])
        case .security(let kind, let account, let address, let who, let requestID):
            let known = [("account" as StaticString, account), ("who", who)].compactMap { name, text in
                text.map { (name: name, value: Value.text($0)) }
            }
            self.init(
                .info, "security",
                [("kind", .text(kind)), ("address", .text(address))] + known + [("request_id", .text(requestID))])
        case .stopping(let signal): self.init(.info, "stopping", [("signal", .text(signal))])
        case .stopped: self.init(.info, "stopped")
        }
    }

    private init?(_ event: PostgresEvent) {
        switch event {
        case .connected: return nil
        case .connectFailed(let reason): self.init(.warning, "database out of reach", [("reason", .text(reason))])
        case .lost(let reason): self.init(.warning, "database connection lost", [("reason", .text(reason))])
        }
    }

    // MARK: Writing

    func write(as format: LogFormat, clock: inout LogClock, into bytes: inout [UInt8]) {
        switch format {
        case .text: writeText(&clock, &bytes)
        case .json: writeJSON(&clock, &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// `2026-11-20T12:00:00.000Z info event=request method=GET route=/healthz status=200 …`
    private func writeText(_ clock: inout LogClock, _ bytes: inout [UInt8]) {
        clock.write(into: &bytes)
        bytes.append(UInt8(ascii: " "))
        bytes += level.rawValue.utf8
        bytes.append(" event=")
        let isOneWord = event.withUTF8Buffer { !$0.contains(UInt8(ascii: " ")) }
        if isOneWord { bytes.append(event) } else { bytes.append(quoted: event.description) }
        for (name, value) in fields {
            bytes.append(UInt8(ascii: " "))
            bytes.append(name)
            bytes.append(UInt8(ascii: "="))
            switch value {
            case .text(let text):
                if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x22 || $0 == 0x7f }) {
                    bytes.append(quoted: text)
                } else {
                    bytes += text.utf8
                }
            case .number, .milliseconds: value.writeNumber(&bytes)
            }
        }
    }

    private func writeJSON(_ clock: inout LogClock, _ bytes: inout [UInt8]) {
        bytes.append("{\"time\":\"")
        clock.write(into: &bytes)
        bytes.append("\",\"level\":\"")
        bytes += level.rawValue.utf8
        bytes.append("\",\"event\":\"")
        bytes.append(event)
        bytes.append("\"")
        for (name, value) in fields {
            bytes.append(",\"")
            bytes.append(name)
            bytes.append("\":")
            if case .text(let text) = value { bytes.append(quoted: text) } else { value.writeNumber(&bytes) }
        }
        bytes.append("}")
    }
}

extension LogLine.Value {
    fileprivate func writeNumber(_ bytes: inout [UInt8]) {
        switch self {
        case .text: break
        case .number(let number): bytes += String(number).utf8
        case .milliseconds(let nanoseconds):
            let microseconds = max(0, nanoseconds / 1000)
            bytes += String(microseconds / 1000).utf8
            bytes.append(UInt8(ascii: "."))
            let fraction = String(microseconds % 1000)
            for _ in fraction.utf8.count..<3 { bytes.append(UInt8(ascii: "0")) }
            bytes += fraction.utf8
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a text as a JSON string, which keeps it on one line.
    fileprivate mutating func append(quoted text: String) {
        JSONWriter.appendString(text, to: &self)
    }
}
