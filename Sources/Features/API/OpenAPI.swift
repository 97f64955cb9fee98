import HTTP

/// The description of the API that `GET /openapi.json` gives, made of the endpoints themselves.
struct OpenAPI: Sendable {
    private let endpoints: [Endpoint]
    private let version: String

    /// Describes these endpoints.
    init(_ endpoints: [Endpoint], version: String) {
        self.endpoints = endpoints
        self.version = version
    }

    /// OpenAPI 3.1.
    var json: JSON {
        .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string("Kurir"), "version": .string(version),
                "description": .string("Dispatch for shops that deliver with couriers they trust."),
                "license": .object(["name": .string("MIT"), "identifier": .string("MIT")]),
            ]),
            "servers": .array([.object(["url": .string("/")])]),
            "paths": .object(paths),
            "components": .object([
                "schemas": .object(schemas),
                "securitySchemes": .object([
                    "bearer": .object(["type": .string("http"), "scheme": .string("bearer")]),
                    "cookie": .object([
                        "type": .string("apiKey"), "in": .string("cookie"), "name": .string(Authenticator.cookie),
                    ]),
                ]),
            ]),
        ])
    }

    private var paths: [String: JSON] {
        Dictionary(grouping: endpoints, by: \.path).mapValues { endpoints in
            .object(Dictionary(uniqueKeysWithValues: endpoints.map { ($0.method.rawValue, operation($0)) }))
        }
    }

    /// Every named shape that an endpoint takes or answers, also within others.
    private var schemas: [String: JSON] {
        let shapes = endpoints.flatMap { [$0.body] + $0.answers.map(\.shape) }.compactMap(\.self)
        return shapes.reduce(into: Problem.shape.components) { $0.merge($1.components) { first, _ in first } }
    }

    private func operation(_ endpoint: Endpoint) -> JSON {
        var operation: [String: JSON] = [
            "operationId": .string(endpoint.operationID), "summary": .string(endpoint.summary),
            "tags": .array([.string(endpoint.room)]), "responses": .object(responses(endpoint)),
            "parameters": .array(parameters(endpoint)),
        ]
        if let body = endpoint.body {
            operation["requestBody"] = .object([
                "required": .bool(true), "content": Self.content("application/json", body.reference),
            ])
        }
        if endpoint.access != .anyone {
            operation["security"] = .array([.object(["bearer": .array([])]), .object(["cookie": .array([])])])
        }
        return .object(operation)
    }

    private func parameters(_ endpoint: Endpoint) -> [JSON] {
        let inPath = endpoint.pathParameters.map { Self.parameter($0.name, "path", $0.shape, $0.what, required: true) }
        let inQuery = endpoint.query.map { Self.parameter($0.name, "query", $0.shape, $0.what, required: false) }
        guard endpoint.takesIdempotencyKey else { return inPath + inQuery }
        let key = Self.parameter(
            "Idempotency-Key", "header", .string(pattern: "^[!-~]+$", least: 1, most: 255),
            "The same key with the same body gives the first answer again, for 24 hours.", required: false)
        return inPath + inQuery + [key]
    }

    private static func parameter(
        _ name: String, _ place: String, _ shape: Shape, _ what: String, required: Bool
    ) -> JSON {
        .object([
            "name": .string(name), "in": .string(place), "required": .bool(required), "schema": shape.reference,
            "description": .string(what),
        ])
    }

    private func responses(_ endpoint: Endpoint) -> [String: JSON] {
        var responses: [String: JSON] = [:]
        for answer in endpoint.answers {
            var response: [String: JSON] = ["description": .string(answer.what)]
            if let shape = answer.shape { response["content"] = Self.content(answer.type, shape.reference) }
            responses[String(answer.status.code)] = .object(response)
        }
        for (status, problems) in Dictionary(grouping: endpoint.possibleProblems, by: \.status.code) {
            let codes = Set(problems.map(\.code)).sorted().map { "`\($0)`" }.joined(separator: ", ")
            responses[String(status)] = .object([
                "description": .string(codes),
                "content": Self.content("application/problem+json", Problem.shape.reference),
            ])
        }
        return responses
    }

    private static func content(_ type: String, _ schema: JSON) -> JSON {
        .object([type: .object(["schema": schema])])
    }
}

extension Endpoint {
    /// The name of the function in a client that is made from the description.
    fileprivate var operationID: String {
        let words = path.split { !$0.isLetter && !$0.isNumber }.filter { $0 != "v1" }
        return ([method.rawValue] + words.map(String.init)).joined(separator: "_")
    }

    fileprivate var pathParameters: [Parameter] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { segment in
            let name = String(segment.dropFirst().dropLast())
            let isID = name == "id" || name.hasSuffix("_id")
            return Parameter(name: name, shape: isID ? .id : .string(least: 1), what: "")
        }
    }

    fileprivate var takesIdempotencyKey: Bool { method == .post && access != .anyone }

    /// What the endpoint refuses itself, and what is refused before it is asked.
    fileprivate var possibleProblems: [Problem] {
        var problems = refusals + [.badRequest, .rateLimited(), .internalError, .unavailable()]
        if access != .anyone { problems += [.unauthenticated, .forbidden(access)] }
        if !pathParameters.isEmpty { problems.append(.notFound) }
        if body != nil {
            problems += [.malformedJSON, .tooLarge, .unsupportedMediaType]
        }
        if body != nil || !query.isEmpty { problems.append(.validationFailed) }
        if takesIdempotencyKey { problems += [.keyReused, .requestInProgress] }
        return problems
    }
}

extension Problem {
    static let validationFailed = Problem(.unprocessable, "validation_failed")
    static let requestInProgress = Problem(
        .conflict, "request_in_progress", headers: [Response.Header("Retry-After", "1")])
    fileprivate static let tooLarge = Problem(.contentTooLarge, "too_large")

    fileprivate static let shape = Shape.object(
        "Problem",
        [
            Shape.Member("type", .string()), Shape.Member("title", .string()),
            Shape.Member("status", .integer(400...599)),
            Shape.Member("code", .string()), Shape.Member("detail", .string()), Shape.Member("request_id", .string()),
            Shape.Member(
                "errors",
                .array(
                    .object([
                        Shape.Member("field", .string()), Shape.Member("code", .string()),
                        Shape.Member("detail", .string()),
                    ])), optional: true),
        ])
}
