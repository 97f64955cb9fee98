import Domain
import HTTP

/// One call of the API: its method and path, who may make it, what it takes and answers, and its handler.
///
/// ``Gate`` enforces what stands here and ``OpenAPI`` describes it, so that neither can forget it.
package struct Endpoint: Sendable {
    package enum Method: String, Sendable {
        case get, post, put, patch, delete
    }

    /// A parameter of the path or the query.
    package struct Parameter: Sendable {
        package let name: String
        let shape: Shape
        package let what: String
        /// Refuses a text that is none of its values; nil where the shape tells which they are.
        let check: (@Sendable (String) throws(InvalidValue) -> Void)?

        package init(
            name: String, shape: Shape, what: String,
            check: (@Sendable (String) throws(InvalidValue) -> Void)? = nil
        ) {
            (self.name, self.shape, self.what, self.check) = (name, shape, what, check)
        }

        package static let list = list(of: Page.usualLimit)

        /// Those of a list that has so many items on a page unless it is told otherwise.
        package static func list(of usual: Int) -> [Parameter] {
            [
                Parameter(
                    name: "limit", shape: .integer(Page.limits), what: "How many items at most (default: \(usual))."),
                Parameter(
                    name: "cursor", shape: .string(), what: "The next_cursor of the previous page.", check: Page.check),
            ]
        }
    }

    /// An answer that is not a problem.
    package struct Answer: Sendable {
        package let status: Status
        let shape: Shape?
        package let what: String
        let type: String
        private(set) var hasETag = false
        /// Whether it can be had as a stream of events, too, and whether a reader who comes again may say where it was.
        private(set) var stream: (isThere: Bool, goesOn: Bool) = (false, false)

        init(_ status: Status, _ shape: Shape?, _ what: String, type: String = "application/json") {
            self.status = status
            self.shape = shape
            self.what = what
            self.type = type
        }

        /// The same with the version of what it shows as its ETag.
        package var tagged: Answer {
            var answer = self
            answer.hasETag = true
            return answer
        }

        /// The same that is a stream of events for whoever accepts one.
        package func orStream(goesOn: Bool = false) -> Answer {
            var answer = self
            answer.stream = (true, goesOn)
            return answer
        }

        package static func ok(_ shape: Shape, _ what: String = "Done.") -> Answer { Answer(.ok, shape, what) }
        package static func created(_ shape: Shape, _ what: String = "Created.") -> Answer {
            Answer(.created, shape, what)
        }
        package static func text(_ type: String, _ what: String, _ status: Status = .ok) -> Answer {
            Answer(status, .string(), what, type: type)
        }
        package static let seeOther = Answer(.seeOther, nil, "Taken; what became of it is at Location.")
        package static let notModified = Answer(.notModified, nil, "What the client has is still true.")
        package static let noContent = Answer(.noContent, nil, "Done.")
        package static func accepted(_ shape: Shape) -> Answer {
            Answer(.accepted, shape, "Accepted; the rest comes by another way.")
        }
    }

    package let method: Method
    package let path: String
    let access: Access
    package let summary: String
    package let room: String
    package let query: [Parameter]
    /// The form's shape, kept so that the endpoint can be described without reading a form.
    private(set) package var body: Shape?
    private(set) var isBodyRequired: Bool
    /// Whether the client may name the version that it knows by `If-Match`.
    let takesIfMatch: Bool
    package let answers: [Answer]
    package let refusals: [Problem]
    let deadline: Duration
    /// Whether the handler's own commit keeps the answer to a request with a key. Otherwise a transaction around the
    /// whole handler keeps it.
    let keepsItsAnswer: Bool
    /// Whether a request to it can be repeated with its key.
    var takesKey: Bool {
        (method == .post || keepsItsAnswer) && !keepsNothing && access != .anyone && access != .gateway
    }
    /// The limits on how often it may be called. They are counted before anything is done, so that failures count, too.
    let throttles: @Sendable (Call) -> [Throttle.Bucket]
    /// Whether the caller may still see what an answer tells of, which it got before and asks for again.
    let isStillSeen: @Sendable (Call, JSON) async throws -> Bool
    let handler: @Sendable (Call) async throws -> Response
    /// Whether stores that wait to be approved are refused.
    private(set) var needsApproval = false
    /// Whether what it commits may wait a tenth of a second to be told.
    private(set) var mayWait = false
    /// Whether it changes nothing, whatever its method says.
    private(set) var keepsNothing = false
    /// Whether it may be called however much an account has written.
    private(set) var isNeverRefused = false
    /// Whether what it is asked for is kept sealed, so that a plain hash of that would tell too much.
    private(set) var isConfidential = false
    /// A body that is no form, and that the handler reads piece by piece.
    private(set) var streamed: Streamed?

    /// What is streamed: so many bytes at most, of one of these types.
    struct Streamed: Sendable {
        let most: Int
        let types: [String]
    }

    /// The same with a body that is streamed.
    package func streaming(upTo most: Int, _ types: [String]) -> Endpoint {
        var endpoint = self
        endpoint.streamed = Streamed(most: most, types: types)
        return endpoint
    }

    /// The same with a form that its handler reads where it is wanted (``Call/form(as:)``).
    package func taking<F: Form>(_ form: F.Type) -> Endpoint {
        var endpoint = self
        (endpoint.body, endpoint.isBodyRequired) = (Fields.describe(form), !F.mayBeLeftOut)
        return endpoint
    }

    /// The same for those alone whom an operator has approved, where that is wanted.
    package var forApproved: Endpoint {
        var endpoint = self
        endpoint.needsApproval = true
        return endpoint
    }

    /// The same for what happens so often, and tells others so rarely, that these need not be woken each time.
    package var unhurried: Endpoint {
        var endpoint = self
        endpoint.mayWait = true
        return endpoint
    }

    /// The same for what changes nothing, so that it can be repeated anyway, and its answer need not be kept.
    package var keepingNothing: Endpoint {
        var endpoint = self
        endpoint.keepsNothing = true
        return endpoint
    }

    /// The same for what takes an account back from whoever has come into it, and uses up what it may write.
    package var neverRefused: Endpoint {
        var endpoint = self
        endpoint.isNeverRefused = true
        return endpoint
    }

    /// The same for what is kept sealed and could be guessed, as the number of a licence.
    package var confidential: Endpoint {
        var endpoint = self
        endpoint.isConfidential = true
        return endpoint
    }

    /// A call without a body.
    package init(
        _ method: Method, _ path: String, for access: Access, _ summary: String, room: String,
        query: [Parameter] = [], takesIfMatch: Bool = false, answers: [Answer], refuses refusals: [Problem] = [],
        deadline: Duration = .seconds(30), keepsItsAnswer: Bool = false,
        throttledBy throttles: @escaping @Sendable (Call) -> [Throttle.Bucket] = { _ in [] },
        stillSeen isStillSeen: @escaping @Sendable (Call, JSON) async throws -> Bool = { _, _ in true },
        handler: @escaping @Sendable (Call) async throws -> Response
    ) {
        self.init(
            method, path, access, summary, room, query, body: nil, isBodyRequired: false, takesIfMatch, answers,
            refusals, deadline, keepsItsAnswer, throttles, isStillSeen, handler: handler)
    }

    /// A call that takes a form.
    package init<F: Form>(
        _ method: Method, _ path: String, for access: Access, _ summary: String, room: String, takes form: F.Type,
        query: [Parameter] = [], takesIfMatch: Bool = false, answers: [Answer], refuses refusals: [Problem] = [],
        deadline: Duration = .seconds(30), keepsItsAnswer: Bool = false,
        throttledBy throttles: @escaping @Sendable (Call) -> [Throttle.Bucket] = { _ in [] },
        stillSeen isStillSeen: @escaping @Sendable (Call, JSON) async throws -> Bool = { _, _ in true },
        handler: @escaping @Sendable (Call, F) async throws -> Response
    ) {
        self.init(
            method, path, access, summary, room, query, body: Fields.describe(form), isBodyRequired: !F.mayBeLeftOut,
            takesIfMatch, answers, refusals, deadline, keepsItsAnswer, throttles, isStillSeen
        ) { call in
            try await handler(call, try Fields.read(call.request))
        }
    }

    private init(
        _ method: Method, _ path: String, _ access: Access, _ summary: String, _ room: String, _ query: [Parameter],
        body: Shape?, isBodyRequired: Bool, _ takesIfMatch: Bool, _ answers: [Answer], _ refusals: [Problem],
        _ deadline: Duration, _ keepsItsAnswer: Bool, _ throttles: @escaping @Sendable (Call) -> [Throttle.Bucket],
        _ isStillSeen: @escaping @Sendable (Call, JSON) async throws -> Bool,
        handler: @escaping @Sendable (Call) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.summary = summary
        self.room = room
        self.query = query
        self.body = body
        self.isBodyRequired = isBodyRequired
        self.takesIfMatch = takesIfMatch
        self.keepsItsAnswer = keepsItsAnswer
        self.throttles = throttles
        self.isStillSeen = isStillSeen
        self.answers = answers
        self.refusals = refusals
        self.deadline = deadline
        self.handler = handler
    }
}

/// A part of the API that belongs together: its calls, and the events that they publish.
package protocol Room: Sendable {
    /// All calls.
    var endpoints: [Endpoint] { get }
    /// The types of the events that it publishes.
    var eventTypes: [String] { get }
}

extension Room {
    /// Most rooms publish none.
    package var eventTypes: [String] { [] }
}
