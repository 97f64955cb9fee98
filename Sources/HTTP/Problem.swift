import Languages

/// An error as clients see it: `application/problem+json` of RFC 9457, with a code that never changes.
///
/// Its words are found by the code, in the reader's language.
public struct Problem: Error, Sendable {
    /// The status.
    public var status: Status
    /// The code, for programs.
    public var code: String
    /// Which wording explains it, if one code has several causes.
    public var wording: String
    /// The values of the wording's placeholders.
    public var arguments: [String: String]
    /// All fields that are wrong.
    public var fields: [WrongField]
    /// Headers that belong to it, such as `Retry-After`.
    public var headers: [Response.Header]
    /// The id of what is in the way, if the caller may know it.
    public var id: String?
    /// Whether it has used up a try: the same request, sent again, gets the same answer and uses up no other.
    public var usesUpTry: Bool

    /// A field of the request's body with an invalid value.
    public struct WrongField: Sendable {
        /// Its path, as in `recipient.phone`.
        public let field: String
        /// What is wrong, for programs.
        public let code: String
        /// The values of the wording's placeholders.
        public let arguments: [String: String]

        /// What is wrong with which field.
        public init(_ field: String, _ code: String, arguments: [String: String] = [:]) {
            self.field = field
            self.code = code
            self.arguments = arguments
        }
    }

    /// A problem with its code.
    public init(
        _ status: Status, _ code: String, wording: String? = nil, arguments: [String: String] = [:],
        fields: [WrongField] = [], headers: [Response.Header] = [], usesUpTry: Bool = false
    ) {
        self.status = status
        self.code = code
        self.wording = wording ?? code
        self.arguments = arguments
        self.fields = fields
        self.headers = headers
        self.usesUpTry = usesUpTry
    }

    /// A request that the parser refused.
    public init(_ malformed: Malformed) {
        self.init(malformed.status, malformed.code, wording: malformed.rawValue)
    }

    /// The caller is asked to come back later.
    public static func unavailable(retryAfterSeconds seconds: Int = 1) -> Problem {
        Problem(.unavailable, "unavailable", headers: [Response.Header("Retry-After", String(seconds))])
    }

    /// The caller has asked too much, and is told when to ask again.
    public static func rateLimited(retryAfterSeconds seconds: Int = 1) -> Problem {
        Problem(.tooManyRequests, "rate_limited", headers: [Response.Header("Retry-After", String(seconds))])
    }

    /// What it costs is more than there is to spend at the moment.
    public static func budgetSpent(retryAfterSeconds seconds: Int = 1) -> Problem {
        Problem(.tooManyRequests, "budget_spent", headers: [Response.Header("Retry-After", String(seconds))])
    }

    static func methodNotAllowed(_ method: String, _ allow: [String]) -> Problem {
        let list = allow.joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "method_not_allowed", arguments: ["method": String(method.prefix(32)), "allow": list],
            headers: [Response.Header("Allow", list)])
    }

    public static let unsupportedMediaType = Problem(.unsupportedMediaType, "unsupported_media_type")
    public static let malformedJSON = Problem(.badRequest, "malformed_json")
    public static let notFound = Problem(.notFound, "not_found")
    public static let badRequest = Problem(.badRequest, "bad_request")
    public static let internalError = Problem(.internalError, "internal_error")

    /// The answer, in the best of the languages that there are words for.
    public func response(requestID: String, language: String, words: ProblemWords) -> Response {
        var json = JSONWriter()
        let text = words.find(wording, language) ?? words.find(code, language)
        json.object { json in
            json.field("type", "about:blank")
            json.field("title", text?.title ?? status.phrase)
            json.field("status", status.code)
            json.field("code", code)
            json.field("detail", LanguageWords.fill(text?.detail ?? "", arguments))
            json.field("request_id", requestID)
            if let id { json.field("id", id) }
            if !fields.isEmpty {
                json.array("errors", fields) { json, wrong in
                    let text = words.find(wrong.code, language)
                    json.object { json in
                        json.field("field", wrong.field)
                        json.field("code", wrong.code)
                        json.field("detail", LanguageWords.fill(text?.detail ?? "", wrong.arguments))
                    }
                }
            }
        }
        var headers = headers
        headers.append(Response.Header("Content-Language", language))
        return Response(status, headers: headers, body: .bytes(json.bytes, type: "application/problem+json"))
    }
}
