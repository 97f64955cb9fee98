import EventLoop
import Foundation
import Glibc
import HTTP
import Testing

@testable import Observability

@Suite struct LogTests {
    private func text(_ observation: Observation, _ format: LogFormat) throws -> String {
        var (clock, bytes) = (LogClock(), [UInt8]())
        let line = try #require(LogLine(observation))
        line.write(as: format, clock: &clock, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func answered(_ requestID: String, account: String? = nil) -> Observation {
        .http(
            .answered(
                HTTPEvent.Summary(
                    method: "GET", route: "/v1/things/{id}", status: 200, nanoseconds: 1_234_567, requestID: requestID,
                    account: account)))
    }

    @Test func `a request is one line of text`() throws {
        let line = try text(answered("abc", account: "7"), .text)
        #expect(
            line.dropFirst("2026-11-20T12:00:00.000Z".count)
                == " info event=request method=GET route=/v1/things/{id} status=200 duration_ms=1.234 request_id=abc account=7\n"
        )
        #expect(line.prefix(24).wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test func `what happened is one value, however many words it has`() throws {
        let line = try text(.http(.cannotAccept("full")), .text)
        #expect(line.hasSuffix(#" error event="cannot accept" reason=full"# + "\n"))
    }

    @Test func `a job that failed is one line, with its name and the reason`() throws {
        let line = try text(.process(.jobFailed("drop old events", reason: "out of reach")), .text)
        #expect(line.hasSuffix(#" error event="job failed" job="drop old events" error="out of reach""# + "\n"))
    }

    @Test(arguments: [LogFormat.text, .json])
    func `no text can begin a line of its own`(_ format: LogFormat) throws {
        let evil = "boom\n2026-11-20T12:00:00.000Z info request \"quoted\" \u{1b}[31m\u{2028}"
        let line = try text(.http(.failed(requestID: "a b", route: "/x", error: evil)), format)
        #expect(line.utf8.count { $0 < 0x20 } == 1 && line.hasSuffix("\n"))
    }

    @Test func `lines of the JSON log are JSON`() throws {
        for observation in [answered("x\"y"), .process(.trouble("a\tb\\")), .http(.cannotAccept("č"))] {
            let line = try text(observation, .json)
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["time"] is String && object["event"] is String && object["level"] is String)
        }
    }

    @Test func `events that are only counted are not logged`() {
        #expect(LogLine(.http(.turnedAway)) == nil && LogLine(.http(.cutOff)) == nil)
    }

    @Test func `a reader that stops holds up nobody`() throws {
        // The pipe stays open, since a thread goes on waiting to write to it.
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let sink = try LogSink(file: ends[1])
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1023) + [UInt8(ascii: "\n")]
        // The pipe takes 64 KiB, the sink twice 8 MiB (being written, and waiting); the rest is dropped and counted.
        for _ in 0..<30_000 { sink.write(line) }
        let lost = sink.takeLost()
        #expect(lost > 10_000 && lost < 30_000)
        #expect(sink.takeLost() == 0)
        // This returns although nobody reads.
        sink.stop()
    }

    @Test func `everything is written before the end`() throws {
        let path = "/tmp/kurir-log-test-\(getpid())"
        let file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0o600)
        defer {
            close(file)
            unlink(path)
        }
        let sink = try LogSink(file: file)
        for number in 0..<1000 { sink.write(Array("\(number)\n".utf8)) }
        sink.stop()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.split(separator: "\n").map { Int($0) } == Array(0..<1000))
    }
}
