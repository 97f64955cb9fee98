import HTTP

@testable import HTTP

extension Request {
    /// A request as handlers get it, with a query of these names and values.
    static func made(
        query: [(name: String, value: String)] = [], fields: [(name: String, value: [UInt8])] = [], body: [UInt8] = []
    ) throws -> Request {
        let pairs = query.map { "\(escaped($0.name))=\(escaped($0.value))" }
        var bytes = "POST /?\(pairs.joined(separator: "&")) HTTP/1.1\r\nHost: a\r\n".bytes
        for field in fields { bytes += "\(field.name):".bytes + field.value + "\r\n".bytes }
        bytes += "\r\n".bytes
        var parser = RequestParser(maximumSize: .max)
        guard try parser.parse(bytes.span) else { throw Broken(description: "a request without an end: \(bytes.text)") }
        return Request(
            ReceivedHead(head: parser.head, bytes: bytes), body: body, id: "id", client: IPAddress("10.0.0.1")!)
    }

    static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
