import Domain
import HTTP

/// The description of the API for `GET /openapi.json`, made from the endpoints themselves.
package struct OpenAPI: Sendable {
    private let endpoints: [Endpoint]
    private let eventTypes: [String]
    private let version: String

    /// Describes these endpoints, whose feed has events of these types.
    package init(_ endpoints: [Endpoint], eventTypes: [String], version: String) {
        self.endpoints = endpoints
        self.eventTypes = eventTypes
        self.version = version
    }

    /// The description as OpenAPI 3.1.
    package var json: JSON {
        .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string("Kurir"), "version": .string(version),
                "description": .string(introduction),
                "license": .object(["name": .string("MIT"), "identifier": .string("MIT")]),
            ]),
            "servers": .array([.object(["url": .string("/")])]),
            "paths": .object(paths),
            "components": .object([
                "schemas": .object(schemas),
                "securitySchemes": .object([
                    "bearer": .object(["type": .string("http"), "scheme": .string("bearer")]),
                    "gateway_key": .object([
                        "type": .string("http"), "scheme": .string("bearer"),
                        "description": .string("The key that `kurir gateway-key create` prints."),
                    ]),
                    "cookie": .object([
                        "type": .string("apiKey"), "in": .string("cookie"), "name": .string(SessionCookie.plainName),
                        "description": .string(Self.aboutCookie),
                    ]),
                ]),
            ]),
        ])
    }

    private var introduction: String {
        """
        Dispatch for shops that deliver with couriers they trust.

        Every answer has `X-Request-Id`. Unknown fields of a request are ignored. A request that is refused \
        before it reaches an operation gets a problem, too: for a method that the path does not have (405), and for \
        anything that breaks HTTP or is larger than the server accepts (400, 408, 413, 414, 417, 431, 501, 505).

        Events are of these types, and of others some day, which clients pass over: \
        \(eventTypes.map { "`\($0)`" }.joined(separator: ", ")).
        """
    }
    private static let aboutCookie = """
        For browsers. A request that writes must come from a page of the same origin, or have the header \
        `X-Requested-With`.
        """

    private var paths: [String: JSON] {
        Dictionary(grouping: endpoints, by: \.path).mapValues { endpoints in
            .object(Dictionary(uniqueKeysWithValues: endpoints.map { ($0.method.rawValue, operation($0)) }))
        }
    }

    /// Every named shape that an endpoint takes or answers, including those within others.
    private var schemas: [String: JSON] {
        let shapes = endpoints.flatMap { [$0.body] + $0.answers.map(\.shape) }.compactMap(\.self)
        return Shape.components(of: shapes + [Problem.shape])
    }

    private func operation(_ endpoint: Endpoint) -> JSON {
        var operation: [String: JSON] = [
            "operationId": .string(endpoint.operationID), "summary": .string(endpoint.summary),
            "description": .string(endpoint.audience),
            "tags": .array([.string(endpoint.room)]), "responses": .object(responses(endpoint)),
            "parameters": .array(parameters(endpoint)),
        ]
        if let body = endpoint.body {
            operation["requestBody"] = .object([
                "required": .bool(endpoint.isBodyRequired),
                "content": Self.content("application/json", body.reference),
            ])
        }
        if let streamed = endpoint.streamed {
            let contents = streamed.types.map {
                ($0, JSON.object(["schema": Shape.string(format: "binary").reference]))
            }
            operation["requestBody"] = .object([
                "required": .bool(true), "content": .object(Dictionary(uniqueKeysWithValues: contents)),
            ])
        }
        if endpoint.access == .gateway {
            operation["security"] = .array([.object(["gateway_key": .array([])])])
        } else if endpoint.access != .anyone {
            operation["security"] = .array([.object(["bearer": .array([])]), .object(["cookie": .array([])])])
        }
        return .object(operation)
    }

    private func parameters(_ endpoint: Endpoint) -> [JSON] {
        let inPath = endpoint.pathParameters.map { Self.parameter($0.name, "path", $0.shape, $0.what, required: true) }
        let inQuery = endpoint.query.map { Self.parameter($0.name, "query", $0.shape, $0.what, required: false) }
        let ifMatch = Self.parameter(
            "If-Match", "header", .string(), "The ETag of the version that the call is meant for.", required: false)
        let lastID = Self.parameter(
            "Last-Event-ID", "header", .string(), "The id of the last event that was read of a stream before.",
            required: false)
        let goesOn = endpoint.answers.contains { $0.stream.goesOn }
        let others = inPath + inQuery + (endpoint.takesIfMatch ? [ifMatch] : []) + (goesOn ? [lastID] : [])
        guard endpoint.takesKey else { return others }
        let key = Self.parameter(
            "Idempotency-Key", "header", .string(pattern: "^[!-~]([ -~]*[!-~])?$", most: 255),
            "A repeated request with the same key and body gets the first answer again, for \(FirstAnswers.hours) hours.",
            required: false)
        return others + [key]
    }

    private static func parameter(
        _ name: String, _ place: String, _ shape: Shape, _ what: String, required: Bool
    ) -> JSON {
        var parameter: [String: JSON] = [
            "name": .string(name), "in": .string(place), "required": .bool(required), "schema": shape.reference,
        ]
        if !what.isEmpty { parameter["description"] = .string(what) }
        return .object(parameter)
    }

    private func responses(_ endpoint: Endpoint) -> [String: JSON] {
        let problems = Dictionary(grouping: endpoint.possibleProblems, by: \.status.code).mapValues(Self.refusal)
        let answers = endpoint.answers.map { (String($0.status.code), Self.answer($0, repeats: endpoint.takesKey)) }
        // No status is both an answer and a problem.
        return Dictionary(uniqueKeysWithValues: problems.map { (String($0), $1) } + answers)
    }

    private static func answer(_ answer: Endpoint.Answer, repeats: Bool) -> JSON {
        var response: [String: JSON] = ["description": .string(answer.what)]
        var headers: [String: JSON] = [:]
        if repeats { headers["Idempotent-Replayed"] = .object(["schema": Shape.constant("true").reference]) }
        if answer.status == .seeOther { headers["Location"] = .object(["schema": Shape.string().reference]) }
        if answer.hasETag { headers["ETag"] = .object(["schema": Shape.string(example: "\"3\"").reference]) }
        if !headers.isEmpty { response["headers"] = .object(headers) }
        if let shape = answer.shape {
            let types = [(answer.type, shape)] + (answer.stream.isThere ? [("text/event-stream", .string())] : [])
            response["content"] = .object(
                Dictionary(uniqueKeysWithValues: types.map { ($0, .object(["schema": $1.reference])) }))
        }
        return .object(response)
    }

    private static func refusal(_ problems: [Problem]) -> JSON {
        let codes = Set(problems.map(\.code)).sorted().map { "`\($0)`" }.joined(separator: ", ")
        let headers = problems.flatMap(\.headers).map { ($0.name, header($0)) }
        return .object([
            "description": .string(codes),
            "headers": .object(Dictionary(headers) { first, _ in first }),
            "content": content("application/problem+json", Problem.shape.reference),
        ])
    }

    /// The shape of a header follows from its value: a number of seconds, or a text.
    private static func header(_ header: Response.Header) -> JSON {
        let shape = Int(header.value) == nil ? Shape.string() : .count
        return .object(["schema": shape.reference])
    }

    private static func content(_ type: String, _ schema: JSON) -> JSON {
        .object([type: .object(["schema": schema])])
    }
}

extension Endpoint {
    /// The name of the function in a client that is generated from the description.
    fileprivate var operationID: String {
        let words = path.split { !$0.isLetter && !$0.isNumber }.filter { $0 != "v1" }
        return ([method.rawValue] + words.map(String.init)).joined(separator: "_")
    }

    fileprivate var pathParameters: [Parameter] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { segment in
            let name = String(segment.dropFirst().dropLast())
            return Parameter(name: name, shape: Self.isID(name) ? .id : .string(least: 1), what: "")
        }
    }

    private static func isID(_ name: String) -> Bool { name == "id" || name.hasSuffix("_id") }

    /// Who may call it, as a sentence.
    package var audience: String {
        switch access {
        case .anyone: "For anyone."
        case .signedIn: "For every account."
        case .only(.store): "For stores."
        case .only(.courier): "For couriers."
        case .gateway: "For gateways, with their key."
        }
    }

    /// The problems that the endpoint itself refuses with, and those that come before it is asked.
    fileprivate var possibleProblems: [Problem] {
        var problems = refusals + [.badRequest, .rateLimited(), .internalError, .unavailable()]
        if access != .anyone { problems += [.unauthenticated, .forbidden(access)] }
        if pathParameters.contains(where: { Self.isID($0.name) }) { problems.append(.notFound) }
        if body != nil {
            problems += [.malformedJSON, .tooLarge, .unsupportedMediaType]
        }
        if streamed != nil { problems += [.tooLarge, .unsupportedMediaType] }
        if body != nil || !query.isEmpty { problems.append(.validationFailed) }
        if needsApproval { problems.append(.notApproved) }
        if takesKey { problems += [.keyReused, .requestInProgress] }
        return problems
    }
}

extension Problem {
    package static let validationFailed = Problem(.unprocessable, "validation_failed")
    package static let requestInProgress = Problem(
        .conflict, "request_in_progress", headers: [Response.Header("Retry-After", "1")])
    fileprivate static let tooLarge = Problem(.contentTooLarge, "too_large")

    fileprivate static let shape = Shape.object(
        "Problem",
        [
            Shape.Member("type", .string()), Shape.Member("title", .string()),
            Shape.Member("status", .integer(400...599)),
            Shape.Member("code", .string()), Shape.Member("detail", .string()), Shape.Member("request_id", .string()),
            Shape.Member("id", .id, optional: true),
            Shape.Member("errors", .array(wrongField, least: 1), optional: true),
        ])

    private static let wrongField = Shape.object(
        "WrongField", ["field", "code", "detail"].map { Shape.Member($0, .string()) })
}
