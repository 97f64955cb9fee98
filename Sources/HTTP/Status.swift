/// A status code of HTTP, with the phrase that goes with it.
public struct Status: Hashable, Sendable {
    /// Three digits.
    public let code: Int

    /// Any code. A code without a known phrase is sent with an empty one.
    public init(_ code: Int) {
        self.code = code
    }

    public static let ok = Status(200)
    public static let created = Status(201)
    public static let accepted = Status(202)
    public static let noContent = Status(204)
    public static let seeOther = Status(303)
    public static let notModified = Status(304)
    public static let badRequest = Status(400)
    public static let unauthenticated = Status(401)
    public static let forbidden = Status(403)
    public static let notFound = Status(404)
    public static let methodNotAllowed = Status(405)
    public static let requestTimeout = Status(408)
    public static let conflict = Status(409)
    public static let gone = Status(410)
    public static let preconditionFailed = Status(412)
    public static let contentTooLarge = Status(413)
    public static let targetTooLong = Status(414)
    public static let unsupportedMediaType = Status(415)
    public static let expectationFailed = Status(417)
    public static let unprocessable = Status(422)
    public static let tooManyRequests = Status(429)
    public static let headTooLarge = Status(431)
    public static let internalError = Status(500)
    public static let notImplemented = Status(501)
    public static let unavailable = Status(503)
    public static let versionNotSupported = Status(505)

    /// The phrase of RFC 9110, which is also the title of a problem without one of its own.
    public var phrase: String { Self.phrases[code] ?? "" }

    /// Whether an answer with this status never has a body.
    var forbidsBody: Bool { code < 200 || code == 204 || code == 304 }

    private static let phrases: [Int: String] = [
        100: "Continue", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 303: "See Other",
        304: "Not Modified",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 417: "Expectation Failed", 422: "Unprocessable Content",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}
