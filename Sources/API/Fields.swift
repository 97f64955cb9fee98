import Domain
import HTTP

/// A request's body as a type. The initializer that reads its fields also documents them.
package protocol Form: Sendable {
    /// Reads every field. Errors gather in `fields`, and an example stands in for a wrong value meanwhile.
    init(_ fields: inout Fields)
    /// Whether the request may come without a body, which then counts as a form without fields.
    static var mayBeLeftOut: Bool { get }
    /// What may be wrong with a field so that the problem itself has that code, where nothing else is wrong.
    static var ownCodes: Set<String> { get }
}

extension Form {
    /// A body is required unless the form says otherwise.
    package static var mayBeLeftOut: Bool { false }
    package static var ownCodes: Set<String> { [] }
}

/// Turns the text that was sent into the text that is taken, of at most `most` characters.
package typealias TextRule = (_ text: String, _ most: Int) throws(InvalidValue) -> String

/// A value that a field can have.
package protocol FieldValue: Sendable {
    static var shape: Shape { get }
    /// Takes the place of a wrong value until the form is refused.
    static var example: Self { get }
    init(field: JSON) throws(InvalidValue)
}

/// The fields of an object that a client sent, read one by one.
package struct Fields: Sendable {
    private var members: [String: JSON]
    private let prefix: String
    /// The time that times to come are after.
    package let now: Moment
    private(set) var wrong: [Problem.WrongField] = []
    /// Only where a form is described: that costs more than reading one.
    private var described: [Shape.Member]?

    init(_ members: [String: JSON], prefix: String = "", now: Moment = .now, isDescribing: Bool = false) {
        self.members = members
        self.prefix = prefix
        self.now = now
        described = isDescribing ? [] : nil
    }

    /// Reads the request's body as a form, or says all that is wrong with it at once.
    static func read<F: Form>(_ request: Request, at now: Moment = .now, as form: F.Type = F.self) throws -> F {
        let isLeftOut = F.mayBeLeftOut && request.body.isEmpty
        guard case .object(let members) = isLeftOut ? .object([:]) : try request.json() else {
            throw Problem.notAnObject
        }
        return try read(members, at: now)
    }

    /// Reads a form that came otherwise than in a request.
    package static func read<F: Form>(
        _ members: [String: JSON], at now: Moment = .now, as form: F.Type = F.self
    ) throws(Problem) -> F {
        var fields = Fields(members, now: now)
        let form = F(&fields)
        guard fields.wrong.isEmpty else {
            let own = fields.wrong.count == 1 && F.ownCodes.contains(fields.wrong[0].code) ? fields.wrong[0].code : nil
            throw Problem(.unprocessable, own ?? "validation_failed", fields: fields.wrong)
        }
        return form
    }

    /// The shape of the form's fields.
    static func describe<F: Form>(_ form: F.Type) -> Shape {
        var fields = Fields([:], isDescribing: true)
        _ = F(&fields)
        return .object("\(F.self)", fields.described ?? [])
    }

    // MARK: Reading

    /// A field that must be there.
    package mutating func required<V: FieldValue>(_ name: String, as type: V.Type = V.self) -> V {
        describe(name, V.shape, optional: false)
        guard let json = given(name) else {
            refuse(name, "required")
            return V.example
        }
        return take(name) { () throws(InvalidValue) in try V(field: json) } ?? V.example
    }

    /// A field that may be left out or null.
    package mutating func optional<V: FieldValue>(_ name: String, as type: V.Type = V.self) -> V? {
        describe(name, V.shape.orNull, optional: true)
        guard let json = given(name), !isBlank(json) else { return nil }
        return take(name) { () throws(InvalidValue) in try V(field: json) }
    }

    /// A field that must be there, and may be null.
    package mutating func nullable<V: FieldValue>(_ name: String, as type: V.Type = V.self) -> V? {
        describe(name, V.shape.orNull, optional: false)
        guard let json = members[name] else {
            refuse(name, "required")
            return nil
        }
        guard json != .null, !isBlank(json) else { return nil }
        return take(name) { () throws(InvalidValue) in try V(field: json) }
    }

    /// A field of a change. If it is left out, its value stays as it is.
    package mutating func change<V: FieldValue>(_ name: String, as type: V.Type = V.self) -> V? {
        describe(name, V.shape, optional: true)
        guard let json = members[name] else { return nil }
        guard json != .null else {
            refuse(name, "required")
            return nil
        }
        return take(name) { () throws(InvalidValue) in try V(field: json) }
    }

    /// A text that must be there: one line, unless the rule is another.
    package mutating func line(
        _ name: String, upTo most: Int, example: String? = nil, by rule: TextRule = Texts.line
    ) -> String {
        describe(name, .string(least: 1, most: most, example: example), optional: false)
        guard let json = given(name) else {
            refuse(name, "required")
            return ""
        }
        return take(name) { () throws(InvalidValue) in try rule(try Self.text(json), most) } ?? ""
    }

    /// A text that may be left out or null.
    package mutating func optionalLine(_ name: String, upTo most: Int, by rule: TextRule = Texts.line) -> String? {
        describe(name, Shape.string(least: 1, most: most).orNull, optional: true)
        guard let json = given(name), !isBlank(json) else { return nil }
        return take(name) { () throws(InvalidValue) in try rule(try Self.text(json), most) }
    }

    /// A text of a change.
    package mutating func changedLine(_ name: String, upTo most: Int, by rule: TextRule = Texts.line) -> String? {
        guard members[name] != nil else {
            describe(name, .string(least: 1, most: most), optional: true)
            return nil
        }
        return line(name, upTo: most, by: rule)
    }

    /// A field of a change that null erases. It is nil when the field is left out.
    package mutating func erasable<V>(_ name: String, _ read: (inout Fields) -> V?) -> V?? {
        let value = read(&self)
        return members[name] == nil ? nil : .some(value)
    }

    /// An object with fields of its own. If it is required and missing, it is refused.
    package mutating func object<V>(_ name: String, isRequired: Bool = true, _ read: (inout Fields) -> V) -> V {
        let json = isRequired ? given(name) : members[name]
        var members: [String: JSON]?
        if case .object(let given) = json { members = given }
        var inner = Fields(members ?? [:], prefix: "\(prefix)\(name).", now: now, isDescribing: described != nil)
        let value = read(&inner)
        if let parts = inner.described { describe(name, .object(parts), optional: !isRequired) }
        if members != nil {
            wrong += inner.wrong
        } else if json != nil || isRequired {
            refuse(name, json == nil ? "required" : "wrong_type")
        }
        return value
    }

    /// An object with fields of its own that may be left out or null.
    package mutating func optionalObject<V>(_ name: String, _ read: (inout Fields) -> V) -> V {
        let sent = members[name]
        members[name] = given(name)
        let value = object(name, isRequired: false, read)
        members[name] = sent
        if let last = described?.popLast() { describe(name, last.shape.orNull, optional: true) }
        return value
    }

    /// One of these texts, which must be there unless one is usual.
    package mutating func choice(
        _ name: String, _ choices: [String], named shape: String, unless usual: String? = nil
    ) -> String {
        let shape = Shape.oneOf(choices, named: shape)
        describe(name, usual == nil ? shape : shape.orNull, optional: usual != nil)
        guard let json = given(name) else {
            if usual == nil { refuse(name, "required") }
            return usual ?? choices[0]
        }
        return take(name) { () throws(InvalidValue) in
            let text = try Self.text(json)
            guard choices.contains(text) else { throw InvalidValue("invalid_value") }
            return text
        } ?? choices[0]
    }

    /// A whole number within bounds. It must be there unless there is a usual value.
    package mutating func number(_ name: String, _ range: ClosedRange<Int>, unless usual: Int? = nil) -> Int {
        guard let number = optionalNumber(name, range) else {
            if usual == nil {
                if described?.popLast() != nil { describe(name, .integer(range), optional: false) }
                if !refused(name) { refuse(name, "required") }
            }
            return usual ?? range.lowerBound
        }
        return number
    }

    /// A whole number within bounds that may be left out or null.
    package mutating func optionalNumber(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        describe(name, Shape.integer(range).orNull, optional: true)
        guard let json = given(name) else { return nil }
        return take(name) { () throws(InvalidValue) in
            guard case .integer(let number) = json else { throw InvalidValue("wrong_type") }
            guard range.contains(number) else {
                throw InvalidValue("out_of_range", ["least": "\(range.lowerBound)", "most": "\(range.upperBound)"])
            }
            return number
        }
    }

    /// A list of objects with fields of their own, which must be there.
    package mutating func forms<F: Form>(_ name: String, _ count: ClosedRange<Int>) -> [F] {
        describe(
            name, .array(Self.describe(F.self), least: count.lowerBound, most: count.upperBound), optional: false)
        guard let json = given(name) else {
            refuse(name, "required")
            return []
        }
        guard case .array(let items) = json else {
            refuse(name, "wrong_type")
            return []
        }
        guard count.contains(items.count) else {
            refuse(name, items.isEmpty ? "required" : "too_many", arguments: ["max": "\(count.upperBound)"])
            return []
        }
        return items.enumerated().map { place, item in
            var inner = Fields([:], prefix: "\(prefix)\(name).\(place).", now: now)
            if case .object(let members) = item { inner = Fields(members, prefix: inner.prefix, now: now) }
            let form = F(&inner)
            if case .object = item { wrong += inner.wrong } else { refuse("\(name).\(place)", "wrong_type") }
            return form
        }
    }

    /// A list of ids, each taken once.
    package mutating func ids(_ name: String, _ count: ClosedRange<Int>) -> [ID] {
        describe(name, .array(.id, least: count.lowerBound, most: count.upperBound), optional: false)
        guard let json = given(name) else {
            refuse(name, "required")
            return []
        }
        return take(name) { () throws(InvalidValue) in
            guard case .array(let items) = json else { throw InvalidValue("wrong_type") }
            guard items.count >= count.lowerBound else { throw InvalidValue("required") }
            guard items.count <= count.upperBound else {
                throw InvalidValue("too_many", ["max": "\(count.upperBound)"])
            }
            var ids: [ID] = []
            var known: Set<ID> = []
            for item in items {
                let id = try ID(field: item)
                if known.insert(id).inserted { ids.append(id) }
            }
            return ids
        } ?? []
    }

    /// A list of ids that may be left out.
    package mutating func optionalIDs(_ name: String, _ count: ClosedRange<Int>) -> [ID]? {
        guard isGiven(name) else {
            describe(name, Shape.array(.id, least: count.lowerBound, most: count.upperBound).orNull, optional: true)
            return nil
        }
        return ids(name, count)
    }

    /// A list of ids of a change.
    package mutating func changedIDs(_ name: String, _ count: ClosedRange<Int>) -> [ID]? {
        guard members[name] != nil else {
            describe(name, .array(.id, least: count.lowerBound, most: count.upperBound), optional: true)
            return nil
        }
        return ids(name, count)
    }

    /// Adds to what is wrong.
    package mutating func refuse(_ name: String, _ code: String, arguments: [String: String] = [:]) {
        wrong.append(Problem.WrongField(prefix + name, code, arguments: arguments))
    }

    /// Whether that field is wrong already.
    package func refused(_ name: String) -> Bool { wrong.contains { $0.field == prefix + name } }

    /// Whether that field is there, and not null.
    package func isGiven(_ name: String) -> Bool { given(name) != nil }

    package static func text(_ json: JSON) throws(InvalidValue) -> String {
        guard case .string(let text) = json else { throw InvalidValue("wrong_type") }
        return text
    }

    /// An empty text, which forms send for a field that was left empty.
    private func isBlank(_ json: JSON) -> Bool { json == .string("") }

    private func given(_ name: String) -> JSON? {
        guard let json = members[name], json != .null else { return nil }
        return json
    }

    private mutating func describe(_ name: String, _ shape: @autoclosure () -> Shape, optional: Bool) {
        described?.append(Shape.Member(name, shape(), optional: optional))
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
    package static let notAnObject = Problem(.badRequest, "bad_request", wording: "not_an_object")
}
