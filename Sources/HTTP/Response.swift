/// The answer of a handler.
public struct Response: Sendable {
    /// The status.
    public var status: Status
    /// Header fields beyond those that every answer has.
    public var headers: [Header]
    /// The body.
    public var body: Body

    /// The body of an answer.
    public enum Body: Sendable {
        /// No body.
        case none
        /// The whole body, ready.
        case bytes([UInt8], type: String)
        /// A body that is written piece by piece, as fast as the client reads.
        case stream(type: String, @Sendable (BodyWriter) async throws -> Void)
    }

    /// A header field of an answer.
    public struct Header: Sendable {
        /// Its name, as it is to be written.
        public let name: String
        /// Its value.
        public let value: String

        /// A field with that name and value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// An answer with a status and perhaps headers and a body.
    public init(_ status: Status, headers: [Header] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer of finished JSON.
    public static func json(_ bytes: [UInt8], status: Status = .ok, headers: [Header] = []) -> Response {
        Response(status, headers: headers, body: .bytes(bytes, type: "application/json"))
    }

    /// A plain text.
    public static func text(_ text: String, status: Status = .ok) -> Response {
        Response(status, body: .bytes(Array(text.utf8), type: "text/plain; charset=utf-8"))
    }

    /// Whether the answer sets that header itself. The name is in lower case.
    func sets(_ name: String) -> Bool {
        headers.contains { $0.name.lowercased() == name }
    }
}
