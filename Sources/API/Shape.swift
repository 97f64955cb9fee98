import HTTP

/// The form of a JSON value, as JSON Schema tells it.
package struct Shape: Sendable {
    /// The schema itself.
    let json: JSON
    /// Its name among the components, if it has one.
    let name: String?
    /// The named shapes that it is made of, including itself.
    let components: [String: JSON]

    /// An object's members.
    package private(set) var members: [Member] = []

    private init(_ json: [String: JSON], name: String? = nil, of parts: [Shape] = []) {
        self.json = .object(json)
        self.name = name
        var components = Self.components(of: parts)
        if let name { components[name] = self.json }
        self.components = components
    }

    /// The named shapes that all of these are made of. A name stands for one shape only.
    package static func components(of shapes: [Shape]) -> [String: JSON] {
        shapes.reduce(into: [:]) { all, shape in
            all.merge(shape.components) { first, second in
                precondition(first == second, "two shapes have one name: \(first), \(second)")
                return first
            }
        }
    }

    /// The shape where it is used: a named one is only referred to.
    var reference: JSON {
        name.map { .object(["$ref": .string("#/components/schemas/\($0)")]) } ?? json
    }

    package static func string(
        format: String? = nil, pattern: String? = nil, least: Int? = nil, most: Int? = nil, example: String? = nil
    ) -> Shape {
        var json: [String: JSON] = ["type": .string("string")]
        json["format"] = format.map(JSON.string)
        json["pattern"] = pattern.map(JSON.string)
        json["minLength"] = least.map(JSON.integer)
        json["maxLength"] = most.map(JSON.integer)
        json["examples"] = example.map { .array([.string($0)]) }
        return Shape(json)
    }

    package static func oneOf(_ values: [String], named name: String? = nil) -> Shape {
        Shape(["type": .string("string"), "enum": .array(values.map(JSON.string))], name: name)
    }

    /// Exactly that text.
    package static func constant(_ value: String) -> Shape {
        Shape(["type": .string("string"), "const": .string(value)])
    }

    package static func integer(_ range: ClosedRange<Int>) -> Shape {
        Shape([
            "type": .string("integer"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
        ])
    }

    package static let number = Shape(["type": .string("number")])

    package static func number(_ range: ClosedRange<Int>) -> Shape {
        Shape([
            "type": .string("number"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
        ])
    }

    package static let boolean = Shape(["type": .string("boolean")])
    package static let id = Shape.string(format: "uuid")
    package static let time = Shape.string(format: "date-time", example: "2026-11-20T12:00:00.000Z")
    package static let count = Shape.integer(0...Int(Int32.max))

    /// A value that may be null.
    package var orNull: Shape { Shape(["anyOf": .array([reference, .object(["type": .string("null")])])], of: [self]) }

    /// A value of one of these shapes.
    package static func anyOf(_ shapes: [Shape], named name: String) -> Shape {
        Shape(["anyOf": .array(shapes.map(\.reference))], name: name, of: shapes)
    }

    package static func array(_ items: Shape, least: Int? = nil, most: Int? = nil) -> Shape {
        var json: [String: JSON] = ["type": .string("array"), "items": items.reference]
        json["minItems"] = least.map(JSON.integer)
        json["maxItems"] = most.map(JSON.integer)
        return Shape(json, of: [items])
    }

    /// An object with any members.
    package static let anyObject = Shape(["type": .string("object")])

    /// An object that has no name of its own.
    package static func object(_ members: [Member]) -> Shape { object(nil, members) }

    /// An object with these members, and perhaps more, which clients ignore.
    package static func object(_ name: String?, _ members: [Member]) -> Shape {
        let properties = members.map { ($0.name, $0.shape.reference) }
        var shape = Shape(
            [
                "type": .string("object"),
                "properties": .object(Dictionary(uniqueKeysWithValues: properties)),
                "required": .array(members.filter(\.isRequired).map { .string($0.name) }),
            ], name: name, of: members.map(\.shape))
        shape.members = members
        return shape
    }

    /// One page of a list, which may say more.
    package static func page(of items: Shape, with more: [Member] = []) -> Shape {
        .object(
            items.name.map { "\($0)Page" },
            [
                Member("items", .array(items, most: 200)),
                Member("next_cursor", Shape.string().orNull),
            ] + more)
    }

    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        let shape: Shape
        package let isRequired: Bool

        package init(_ name: String, _ shape: Shape, optional: Bool = false) {
            self.name = name
            self.shape = shape
            isRequired = !optional
        }
    }
}
