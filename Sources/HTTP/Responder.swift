import EventLoop

/// Runs the handler, and turns its errors into answers that the client may see.
struct Responder: Sendable {
    let words: ProblemWords
    let crossOrigin: CrossOrigin
    /// Gives the problem for a handler's error that is not a problem already.
    let problem: @Sendable (any Error) -> Problem?
    /// Gives what people see instead of the problem, where they come by themselves.
    let lost: @Sendable (Problem, Request) -> Response?
    let observe: @Sendable (HTTPEvent) -> Void

    func respond(to request: Request, by route: Route) async -> Response {
        do {
            return crossOrigin.mark(try await route.handler(request), for: request)
        } catch {
            return refusal(explain(error, request, route), of: request)
        }
    }

    /// The answer to a request that is refused, or that no route takes.
    func refusal(_ problem: Problem, of request: Request) -> Response {
        lost(problem, request) ?? response(to: problem, of: request)
    }

    func response(to problem: Problem, of request: Request) -> Response {
        let language = request.language ?? words.language(accepting: request.header("accept-language"))
        let response = problem.response(requestID: request.id, language: language, words: words)
        return crossOrigin.mark(response, for: request)
    }

    private func explain(_ error: any Error, _ request: Request, _ route: Route) -> Problem {
        if let known = error as? Problem ?? problem(error) { return known }
        // Nobody reads the answer when the handler was cancelled.
        if error is CancellationError { return .unavailable() }
        observe(.failed(requestID: request.id, route: route.template, error: "\(error)"))
        return .internalError
    }
}

/// The other web origins that may call from a browser, and how browsers are told (Fetch standard, CORS).
struct CrossOrigin: Sendable {
    let allowedOrigins: [String]

    private var allowsAll: Bool { allowedOrigins.contains("*") }

    /// Adds the fields that let the browser hand the answer to a script of an allowed origin.
    func mark(_ response: Response, for request: Request) -> Response {
        guard !allowedOrigins.isEmpty else { return response }
        var response = response
        response.headers.append(Response.Header("Vary", "Origin"))
        guard let origin = request.header("origin"), isAllowed(origin) else { return response }
        response.headers += grants(origin)
        response.headers.append(
            Response.Header("Access-Control-Expose-Headers", "ETag, Retry-After, X-Request-Id, Idempotent-Replayed"))
        return response
    }

    /// The answer to `OPTIONS`. Browsers also ask for it before an unusual call.
    func preflight(origin: String?, allow: [String]) -> Response {
        var response = Response(.noContent, headers: [Response.Header("Allow", allow.joined(separator: ", "))])
        guard !allowedOrigins.isEmpty else { return response }
        response.headers.append(Response.Header("Vary", "Origin"))
        guard let origin, isAllowed(origin) else { return response }
        response.headers += grants(origin)
        response.headers += [
            Response.Header("Access-Control-Allow-Methods", allow.joined(separator: ", ")),
            Response.Header(
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, Accept-Language, Idempotency-Key, If-Match, Last-Event-ID, X-Request-Id"),
            Response.Header("Access-Control-Max-Age", "7200"),
        ]
        return response
    }

    private func isAllowed(_ origin: String) -> Bool {
        allowsAll || allowedOrigins.contains(origin)
    }

    /// Cookies are allowed for named origins only. If every origin is allowed, any page could act for its visitor.
    private func grants(_ origin: String) -> [Response.Header] {
        guard !allowsAll else { return [Response.Header("Access-Control-Allow-Origin", "*")] }
        return [
            Response.Header("Access-Control-Allow-Origin", origin),
            Response.Header("Access-Control-Allow-Credentials", "true"),
        ]
    }
}
