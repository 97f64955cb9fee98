import FoundationEssentials

extension Request {
    /// The body as a value, if it is JSON in UTF-8 and has the value's form.
    public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        guard isJSON else { throw Problem(.unsupportedMediaType, "unsupported_media_type") }
        // Foundation's decoder would replace what is not UTF-8 instead of refusing it.
        guard String(validating: body, as: UTF8.self) != nil else { throw Problem.malformedJSON }
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch let error as DecodingError {
            throw Self.problem(error)
        }
    }

    private var isJSON: Bool {
        let type = header("content-type")?.prefix { $0 != ";" }.lowercased() ?? ""
        return type.filter { !$0.isWhitespace } == "application/json"
    }

    private static func problem(_ error: DecodingError) -> Problem {
        switch error {
        case .keyNotFound(let key, let context): wrong(context.codingPath + [key], "required")
        case .valueNotFound(_, let context): wrong(context.codingPath, "required")
        case .typeMismatch(_, let context): wrong(context.codingPath, "wrong_type")
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? .malformedJSON : wrong(context.codingPath, "wrong_type")
        @unknown default: .malformedJSON
        }
    }

    private static func wrong(_ path: [any CodingKey], _ code: String) -> Problem {
        let field = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return Problem(.unprocessable, "validation_failed", fields: [Problem.WrongField(field, code)])
    }
}

extension Problem {
    static let malformedJSON = Problem(.badRequest, "malformed_json")
}
