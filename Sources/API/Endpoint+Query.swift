import Domain
import HTTP

extension Endpoint {
    /// Refuses a query with all that is wrong in it at once.
    func checkQuery(of request: Request) throws {
        guard request.hasQuery else { return }
        let wrong = query.compactMap { $0.fault(in: request) }
        guard wrong.isEmpty else { throw Problem(.unprocessable, "validation_failed", fields: wrong) }
    }
}

extension Endpoint.Parameter {
    /// What is wrong with it. Nobody can tell which of two is meant.
    fileprivate func fault(in request: Request) -> Problem.WrongField? {
        guard !request.isQueryRepeated(name) else { return Problem.WrongField(name, "repeated") }
        do {
            guard let text = request.query(name) else { return nil }
            if let check { try check(text) } else { try shape.check(text: text) }
            return nil
        } catch {
            return Problem.WrongField(name, error.code, arguments: error.arguments)
        }
    }
}

extension Shape {
    /// Refuses a text that a query cannot have for this shape. An empty one says nothing, where texts or flags are meant.
    func check(text: String) throws(InvalidValue) {
        guard case .object(let rules) = json else { return }
        switch rules["type"] {
        case .string("integer"):
            guard case .integer(let least) = rules["minimum"], case .integer(let most) = rules["maximum"] else {
                return
            }
            guard let number = Int(text), (least...most).contains(number) else {
                throw InvalidValue("out_of_range", ["least": "\(least)", "most": "\(most)"])
            }
        case .string("boolean"):
            guard text.isEmpty || Bool(text) != nil else { throw InvalidValue("wrong_type") }
        default:
            if case .array(let values) = rules["enum"], !values.contains(.string(text)) {
                throw InvalidValue("invalid_value")
            }
            if case .integer(let most) = rules["maxLength"], !text.isEmpty { _ = try Texts.line(text, upTo: most) }
        }
    }
}
