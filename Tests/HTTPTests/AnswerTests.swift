import Glibc
import Testing

@testable import HTTP

/// Dates, by RFC 9110, 5.6.7.
@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
            (4_102_444_800, "Fri, 01 Jan 2100 00:00:00 GMT"),
        ] as [(time_t, String)])
    func `dates are written in the format of HTTP`(time: time_t, text: String) {
        #expect(HTTPDate.format(time) == text)
    }

    @Test func `the date field is that of this second`() {
        var date = HTTPDate()
        let before = time(nil)
        date.update()
        let after = time(nil)
        let possible = (before...after).map { "Date: \(HTTPDate.format($0))\r\n" }
        #expect(possible.contains(latin1(date.bytes)))
    }
}

/// The bytes that wait to be written.
@Suite struct OutboundTests {
    /// A client that takes so many bytes.
    private func take(_ count: Int, from outbound: inout Outbound) -> String {
        var taken: [UInt8] = []
        outbound.drain { bytes in
            taken = Array(bytes.prefix(count))
            return taken.count
        }
        return latin1(taken)
    }

    @Test(arguments: 1...12)
    func `bytes leave in order, however little is taken at a time`(step: Int) {
        var outbound = Outbound()
        outbound.append("head ")
        outbound.append(decimal: 0)
        outbound.append(decimal: 1_234_567)
        outbound.append(Array(" ".utf8))
        outbound.append(hexadecimal: 0xabc)
        outbound.append("!".utf8)
        var all = ""
        while !outbound.isEmpty { all += take(step, from: &outbound) }
        #expect(all == "head 01234567 abc!")
        #expect(outbound.count == 0)
        outbound.append("next")
        #expect(take(99, from: &outbound) == "next")
    }

    @Test func `taking nothing leaves everything`() {
        var outbound = Outbound()
        outbound.append("abc")
        #expect(take(0, from: &outbound) == "")
        #expect(outbound.count == 3)
    }

    @Test func `taken bytes give their room back, although some still wait`() {
        var outbound = Outbound()
        outbound.append([UInt8](repeating: 0, count: 1_000_000))
        _ = take(990_000, from: &outbound)
        #expect(outbound.count == 10_000 && outbound.bytes.capacity < 100_000)
        _ = take(10_000, from: &outbound)
        #expect(outbound.bytes.capacity < 10_000)
    }

    @Test func `progress is made once all that waited at the last progress is gone`() {
        var outbound = Outbound()
        outbound.append("0123456789")
        var progress = [outbound.madeProgress()]
        // More comes later, but only what was there first must be taken.
        for (taken, more) in [(9, ""), (0, "abcdefghij"), (1, ""), (9, ""), (1, "")] {
            _ = take(taken, from: &outbound)
            outbound.append(more.utf8)
            progress.append(outbound.madeProgress())
        }
        #expect(progress == [true, false, false, true, false, true])
        #expect(outbound.isEmpty)
    }

    @Test func `a client that takes single bytes makes progress only now and then`() {
        var outbound = Outbound()
        outbound.append([UInt8](repeating: 0, count: 100))
        var progress = 0
        while !outbound.isEmpty {
            if outbound.madeProgress() { progress += 1 }
            _ = take(1, from: &outbound)
        }
        #expect(progress == 1)
    }
}

/// The bytes that came and were not used yet.
@Suite struct InboundTests {
    @Test(arguments: 1...7)
    func `bytes are lent in order until they are used`(step: Int) throws {
        var inbound = Inbound()
        var all = ""
        for round in 0..<100 {
            "\(round) ".withCString { inbound.append(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
            let count = try inbound.read { min(step, $0.count) }
            all += latin1(inbound.prefix(count))
            inbound.consume(count)
        }
        let expected = (0..<100).map { "\($0) " }.joined()
        #expect(expected.hasPrefix(all))
        all += latin1(inbound.prefix(try inbound.read { $0.count }))
        #expect(all == expected)
        inbound.drop()
        #expect(inbound.isEmpty)
    }
}

@Suite struct CrossOriginTests {
    private func marks(_ allowed: [String], origin: String?) throws -> [String] {
        let request = try madeRequest(fields: origin.map { ["Origin: \($0)"] } ?? [])
        return lines(CrossOrigin(allowedOrigins: allowed).mark(Response(.ok), for: request))
    }

    private func lines(_ response: Response) -> [String] { response.headers.map { "\($0.name): \($0.value)" } }

    private static let exposed =
        "Access-Control-Expose-Headers: ETag, Retry-After, X-Request-Id, Idempotent-Replayed"

    @Test(
        arguments: [
            ([], "https://a", []), ([], nil, []), (["https://a"], nil, ["Vary: Origin"]),
            (["https://a"], "https://b", ["Vary: Origin"]), (["https://a"], "null", ["Vary: Origin"]),
            (["https://a"], "https://a.b", ["Vary: Origin"]), (["https://a"], "http://a", ["Vary: Origin"]),
            (
                ["https://b", "https://a"], "https://a",
                [
                    "Vary: Origin", "Access-Control-Allow-Origin: https://a", "Access-Control-Allow-Credentials: true",
                    exposed,
                ]
            ),
            // All origins are allowed, but never with cookies.
            (["*"], "https://a", ["Vary: Origin", "Access-Control-Allow-Origin: *", exposed]),
            (["*"], nil, ["Vary: Origin"]),
            (["https://a", "*"], "https://a", ["Vary: Origin", "Access-Control-Allow-Origin: *", exposed]),
        ] as [([String], String?, [String])])
    func `answers say which origins may read them`(allowed: [String], origin: String?, expected: [String]) throws {
        #expect(try marks(allowed, origin: origin) == expected)
    }

    @Test func `headers that the answer has already stay`() throws {
        let response = Response(.ok, headers: [Response.Header("ETag", "\"1\"")])
        let marked = CrossOrigin(allowedOrigins: ["*"]).mark(
            response, for: try madeRequest(fields: ["Origin: https://a"]))
        #expect(lines(marked).first == "ETag: \"1\"")
    }

    @Test func `a preflight grants calls to allowed origins only`() {
        let allow = ["GET", "HEAD", "OPTIONS"]
        let none = CrossOrigin(allowedOrigins: []).preflight(origin: "https://a", allow: allow)
        #expect(none.status == .noContent)
        #expect(lines(none) == ["Allow: GET, HEAD, OPTIONS"])
        let crossOrigin = CrossOrigin(allowedOrigins: ["https://a"])
        #expect(
            lines(crossOrigin.preflight(origin: nil, allow: allow)) == ["Allow: GET, HEAD, OPTIONS", "Vary: Origin"])
        #expect(
            lines(crossOrigin.preflight(origin: "https://b", allow: allow)) == [
                "Allow: GET, HEAD, OPTIONS", "Vary: Origin",
            ])
        let granted = lines(crossOrigin.preflight(origin: "https://a", allow: allow))
        #expect(granted.contains("Access-Control-Allow-Origin: https://a"))
        #expect(granted.contains("Access-Control-Allow-Credentials: true"))
        #expect(granted.contains("Access-Control-Allow-Methods: GET, HEAD, OPTIONS"))
        #expect(granted.contains { $0.hasPrefix("Access-Control-Allow-Headers: Authorization, Content-Type,") })
        #expect(granted.contains("Access-Control-Max-Age: 7200"))
    }
}
