/// A method and a path template, with their handler.
public struct Route: Sendable {
    /// Answers a request, on the loop that the request came by.
    public typealias Handler = @Sendable (Request) async throws -> Response

    /// The method; a `GET` answers `HEAD` as well.
    public let method: String
    /// The path, with `{name}` for a segment that is a parameter.
    public let template: String
    /// How long the handler may take before the client is told to come back later.
    public let deadline: Duration
    /// How large a body may be that the handler reads piece by piece; nil where it gets a small one as a whole.
    public let streamsUpTo: Int?
    /// The names of the template's parameters, in order.
    public let parameterNames: [String]
    let handler: Handler

    /// A route.
    public init(
        _ method: String, _ template: String, deadline: Duration = .seconds(30), streamsUpTo: Int? = nil,
        handler: @escaping Handler
    ) {
        self.method = method
        self.streamsUpTo = streamsUpTo
        self.template = template
        self.deadline = deadline
        self.handler = handler
        parameterNames = template.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            String($0.dropFirst().dropLast())
        }
    }

    /// A route that reads.
    public static func get(
        _ template: String, deadline: Duration = .seconds(30), handler: @escaping Handler
    ) -> Route {
        Route("GET", template, deadline: deadline, handler: handler)
    }

    /// A route that writes.
    public static func post(_ template: String, handler: @escaping Handler) -> Route {
        Route("POST", template, handler: handler)
    }
}
