import API
import HTTP
import Observability

@testable import API
@testable import HTTP
@testable import Observability

extension Property {
    /// The values of header fields that are read, and what is logged of them.
    static let fields = Property("fields") { bytes in
        try address(bytes.text)
        try logged(bytes.text)
        let value = bytes.filter(Grammar.isFieldValue)
        let names = ["cookie", "x-forwarded-for", "accept-language", "x-request-id", "idempotency-key", "content-type"]
        let request = try Request.made(fields: names.map { ($0, value) })
        let text = value.text
        for cookie in request.cookies(SessionCookie.plainName) {
            try require(text.contains(cookie) && !cookie.utf8.contains(UInt8(ascii: ";")), "no such cookie: \(cookie)")
        }
        let language = ProblemWords.all.language(accepting: text)
        try require(ProblemWords.all.texts[language] != nil, "no such language: \(language)")
        if let id = RequestID.accept(text) { try require(Grammar.requestID.contains(all: id.utf8), "id \(id)") }
        do {
            if let key = try Idempotency.key(of: request) {
                try require((1...255).contains(key.utf8.count), "key \(key)")
            }
        } catch let problem as Problem {
            try require(problem.status == .badRequest, "\(problem)")
        }
        do { _ = try request.json() } catch let problem as Problem { _ = problem }
        _ = value.withUnsafeBufferPointer { HostForm.isValid(Span(_unsafeElements: $0)) }
    }

    /// An address is read again from what it is shown as, and whoever is behind the last proxy is the client.
    private static func address(_ text: String) throws {
        if let address = IPAddress(text) {
            try require(IPAddress(address.description), is: address, "the address \(text)")
            try require(address.network.network, is: address.network, "the network of \(text)")
        }
        if let network = IPNetwork(text), let first = text.split(separator: "/").first, let address = IPAddress(first) {
            try require(network.contains(address), "\(text) does not contain its own address")
        }
        let (peer, other) = (IPAddress("10.0.0.1")!, IPAddress("10.0.0.2")!)
        let proxies = TrustedProxies(networks: [IPNetwork("10.0.0.1")!])
        try require(proxies.client(peer: other, forwardedFor: text), is: other, "a stranger is believed")
        let client = proxies.client(peer: peer, forwardedFor: text + ",192.0.2.7")
        try require(client, is: IPAddress("192.0.2.7")!, "the client behind the proxy")
    }

    /// One line, whatever stands in it; as JSON it can be read.
    private static func logged(_ text: String) throws {
        let line = LogLine(.process(.trouble(text)))!
        for format in [LogFormat.text, .json] {
            var (clock, bytes) = (LogClock(), [UInt8]())
            line.write(as: format, clock: &clock, into: &bytes)
            try require(bytes.firstIndex(of: .lineFeed), is: bytes.count - 1, "the end of the line")
            guard format == .json else { continue }
            guard case .object(let members)? = JSON(bytes) else { throw Broken(description: "no JSON: \(bytes.text)") }
            try require(members["what"] == .string(text), "another text: \(bytes.text)")
        }
    }
}
