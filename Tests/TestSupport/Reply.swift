/// An answer as it came over the wire.
package struct Reply: Sendable {
    package let version: String
    package let status: Int
    package let fields: [(name: String, value: String)]
    package private(set) var body: [UInt8] = []
    /// The chunks that the body came in; nil when it came otherwise.
    package private(set) var chunks: [[UInt8]]?

    package init(method: String, from client: Client) throws {
        let line = try client.takeLine()
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let status = Int(parts[1]) else { throw ClientError.malformed(line) }
        version = String(parts[0])
        self.status = status
        fields = try Self.fields(from: client)
        if method == "HEAD" || status < 200 || status == 204 || status == 304 { return }
        if header("transfer-encoding") == "chunked" {
            let chunks = try Self.chunks(from: client)
            self.chunks = chunks
            body = Array(chunks.joined())
        } else if let length = header("content-length").flatMap({ Int($0) }) {
            body = try client.take(length)
        } else {
            body = try client.takeRest()
        }
    }

    /// An answer without a connection. The names of its fields are in lower case.
    package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        version = "HTTP/1.1"
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    /// The value of the only field with that name, which is in lower case.
    package func header(_ name: String) -> String? {
        let values = headers(name)
        return values.count == 1 ? values[0] : nil
    }

    package func headers(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The code of a problem; nil when the answer is not one.
    package var code: String? {
        header("content-type") == "application/problem+json" ? field("code") : nil
    }

    /// A text field of the answer's JSON.
    package func field(_ name: String) -> String? {
        guard let start = text.firstRange(of: "\"\(name)\":\"") else { return nil }
        return text[start.upperBound...].split(separator: "\"", omittingEmptySubsequences: false).first.map(String.init)
    }

    private static func fields(from client: Client) throws -> [(name: String, value: String)] {
        var fields: [(String, String)] = []
        while true {
            let line = try client.takeLine()
            guard !line.isEmpty else { return fields }
            guard let colon = line.firstRange(of: ": ") else { throw ClientError.malformed(line) }
            fields.append((line[..<colon.lowerBound].lowercased(), String(line[colon.upperBound...])))
        }
    }

    private static func chunks(from client: Client) throws -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        while true {
            let line = try client.takeLine()
            guard let size = Int(line, radix: 16) else { throw ClientError.malformed(line) }
            let chunk = try client.take(size)
            guard try client.takeLine().isEmpty else { throw ClientError.malformed("chunk") }
            if size == 0 { return chunks }
            chunks.append(chunk)
        }
    }
}
