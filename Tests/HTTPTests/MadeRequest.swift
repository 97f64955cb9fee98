import Testing

@testable import HTTP

/// The head in a text in which `⏎` stands for CR and LF.
func receivedHead(_ text: String) throws -> ReceivedHead {
    let bytes = HTTPTests.bytes(text)
    var parser = RequestParser(maximumSize: 16 * 1024)
    try #require(try parser.parse(bytes.span))
    return ReceivedHead(head: parser.head, bytes: bytes)
}

/// A request as handlers get it.
func madeRequest(_ target: String = "/", method: String = "GET", fields: [String] = []) throws -> Request {
    let head = (["\(method) \(target) HTTP/1.1", "Host: a"] + fields).joined(separator: "⏎") + "⏎⏎"
    return Request(try receivedHead(head), id: "id", client: IPAddress("10.0.0.1")!)
}
