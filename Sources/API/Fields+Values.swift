import Domain
import HTTP
import Postgres

/// A value that a field has as text.
package protocol TextFieldValue: FieldValue {
    init(_ text: String) throws(InvalidValue)
}

extension TextFieldValue {
    package init(field json: JSON) throws(InvalidValue) { try self.init(Fields.text(json)) }
    /// An example is read by the same rules as fields, so that it is always valid.
    package static func example(_ text: String) -> Self { try! Self(text) }
}

extension EmailAddress: TextFieldValue {
    package static let shape = Shape.string(format: "email", most: 254, example: "shop@example.com")
    package static var example: EmailAddress { example("shop@example.com") }
}

extension PhoneNumber: TextFieldValue {
    package static let shape = Shape.string(least: 8, most: 40, example: "+385912345678")
    package static var example: PhoneNumber { example("+385912345678") }
}

extension MobileNumber: TextFieldValue {
    package static let shape = PhoneNumber.shape
    package static var example: MobileNumber { example("+385912345678") }
}

extension Country: TextFieldValue {
    package static let shape = Shape.string(pattern: "^[A-Za-z]{2}$", example: "HR")
    package static var example: Country { .croatia }
}

extension Password: TextFieldValue {
    private static let sample = "correct horse battery"
    package static let shape = Shape.string(format: "password", least: 8, most: 128, example: sample)
    package static var example: Password { example(sample) }
}

extension Language: TextFieldValue {
    package static let shape = Shape.oneOf(Language.known.map(\.rawValue), named: "Language")
    package static var example: Language { .fallback }
}

extension String: FieldValue {
    package static let shape = Shape.string()
    package static var example: String { "" }
    package init(field json: JSON) throws(InvalidValue) { self = try Fields.text(json) }
}

extension Moment: TextFieldValue {
    package static let shape = Shape.time
    package static var example: Moment { Moment(milliseconds: 1_780_000_000_000) }
}

extension Bool: FieldValue {
    package static let shape = Shape.boolean
    package static var example: Bool { false }
    package init(field json: JSON) throws(InvalidValue) {
        guard case .bool(let value) = json else { throw InvalidValue("wrong_type") }
        self = value
    }
}

extension Double: FieldValue {
    package static let shape = Shape.number
    package static var example: Double { 0 }
    package init(field json: JSON) throws(InvalidValue) {
        switch json {
        case .integer(let number): self = Double(number)
        case .number(let number): self = number
        default: throw InvalidValue("wrong_type")
        }
    }
}

extension ID: FieldValue {
    package static let shape = Shape.id
    package static var example: ID { ID(high: 0, low: 0) }
    package init(field json: JSON) throws(InvalidValue) {
        guard let id = ID(try Fields.text(json)) else { throw InvalidValue("invalid_id") }
        self = id
    }
}

extension ID: PostgresValue {
    /// An id is PostgreSQL's `uuid`.
    public static var postgresType: PostgresType { .uuid }

    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) {
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
    }

    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count == 16 else { throw PostgresError.unexpected("\(bytes.count) bytes for a uuid") }
        self.init(
            high: try UInt64(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[..<8])),
            low: try UInt64(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[8...])))
    }
}
