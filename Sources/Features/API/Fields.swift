import Domain
import HTTP

/// A request's body as a type: the initializer that reads its fields is also what documents them.
public protocol Form: Sendable {
    /// Reads every field; what is wrong gathers in `fields`, and an example stands in for it meanwhile.
    init(_ fields: inout Fields)
}

/// A value that a field can have.
protocol FieldValue: Sendable {
    static var shape: Shape { get }
    /// Stands in for a value that is wrong until the form is refused.
    static var example: Self { get }
    init(field: JSON) throws(InvalidValue)
}

/// The fields of an object that a client sent, read one by one.
public struct Fields: Sendable {
    private let members: [String: JSON]
    private let prefix: String
    private(set) var wrong: [Problem.WrongField] = []
    private(set) var described: [Shape.Member] = []

    private init(_ members: [String: JSON], prefix: String = "") {
        self.members = members
        self.prefix = prefix
    }

    /// Reads the request's body as a form, or says all that is wrong with it at once.
    static func read<F: Form>(_ request: Request, as form: F.Type = F.self) throws -> F {
        guard case .object(let members) = try request.json() else { throw Problem.notAnObject }
        var fields = Fields(members)
        let form = F(&fields)
        try fields.check()
        return form
    }

    /// What the form's fields are.
    static func describe<F: Form>(_ form: F.Type) -> Shape {
        var fields = Fields([:])
        _ = F(&fields)
        return .object("\(F.self)", fields.described)
    }

    private func check() throws(Problem) {
        guard wrong.isEmpty else { throw Problem(.unprocessable, "validation_failed", fields: wrong) }
    }

    // MARK: Reading

    /// A field that must be there.
    mutating func required<V: FieldValue>(_ name: String, as type: V.Type = V.self) -> V {
        describe(name, V.shape, optional: false)
        guard let json = given(name) else {
            refuse(name, "required")
            return V.example
        }
        return take(name) { () throws(InvalidValue) in try V(field: json) } ?? V.example
    }

    /// A field that may be left out or null.
    mutating func optional<V: FieldValue>(_ name: String, as type: V.Type = V.self) -> V? {
        describe(name, V.shape.orNull, optional: true)
        guard let json = given(name) else { return nil }
        return take(name) { () throws(InvalidValue) in try V(field: json) }
    }

    /// A field of a change: left out, it stays as it is.
    mutating func change<V: FieldValue>(_ name: String, as type: V.Type = V.self) -> V? {
        describe(name, V.shape, optional: true)
        guard let json = members[name] else { return nil }
        guard json != .null else {
            refuse(name, "required")
            return nil
        }
        return take(name) { () throws(InvalidValue) in try V(field: json) }
    }

    /// One line of text that must be there.
    mutating func line(_ name: String, upTo most: Int) -> String {
        describe(name, .string(least: 1, most: most), optional: false)
        guard let json = given(name) else {
            refuse(name, "required")
            return ""
        }
        return take(name) { () throws(InvalidValue) in try Texts.line(try Self.text(json), upTo: most) } ?? ""
    }

    /// One line of text that may be left out or null.
    mutating func optionalLine(_ name: String, upTo most: Int) -> String? {
        describe(name, Shape.string(least: 1, most: most).orNull, optional: true)
        guard let json = given(name) else { return nil }
        return take(name) { () throws(InvalidValue) in try Texts.line(try Self.text(json), upTo: most) }
    }

    /// One line of text of a change.
    mutating func changedLine(_ name: String, upTo most: Int) -> String? {
        guard members[name] != nil else {
            describe(name, .string(least: 1, most: most), optional: true)
            return nil
        }
        defer { described[described.count - 1] = Shape.Member(name, .string(least: 1, most: most), optional: true) }
        return line(name, upTo: most)
    }

    /// Adds to what is wrong.
    mutating func refuse(_ name: String, _ code: String, arguments: [String: String] = [:]) {
        wrong.append(Problem.WrongField(prefix + name, code, arguments: arguments))
    }

    /// Whether that field is wrong already.
    func refused(_ name: String) -> Bool { wrong.contains { $0.field == prefix + name } }

    static func text(_ json: JSON) throws(InvalidValue) -> String {
        guard case .string(let text) = json else { throw InvalidValue("wrong_type") }
        return text
    }

    private func given(_ name: String) -> JSON? {
        guard let json = members[name], json != .null else { return nil }
        return json
    }

    private mutating func describe(_ name: String, _ shape: Shape, optional: Bool) {
        described.append(Shape.Member(name, shape, optional: optional))
    }

    private mutating func take<V>(_ name: String, _ read: () throws(InvalidValue) -> V) -> V? {
        do {
            return try read()
        } catch {
            refuse(name, error.code, arguments: error.arguments)
            return nil
        }
    }
}

extension Problem {
    static let notAnObject = Problem(.badRequest, "bad_request", wording: "not_an_object")
}
