/// A JSON value as a client sent it.
public enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits into an `Int`.
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// Reads a whole text by RFC 8259. It is nil if the text is not JSON, is nested too deeply, or names a member
    /// twice, which two readers might understand in two ways.
    public init?(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = JSONReader(bytes)
        guard let value = try? reader.document() else { return nil }
        self = value
    }
}

/// Reads JSON byte by byte.
private struct JSONReader {
    private struct NotJSON: Error {}

    private static let deepest = 32
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func document() throws -> JSON {
        let value = try value(depth: 0)
        skipBlanks()
        guard byte == nil else { throw NotJSON() }
        return value
    }

    private mutating func skipBlanks() {
        while let byte, byte == .space || byte == .lineFeed || byte == .carriageReturn || byte == .tab { place += 1 }
    }

    private mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws -> JSON {
        skipBlanks()
        switch byte {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case .quote: return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws -> JSON {
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[place...].starts(with: expected) else { throw NotJSON() }
        place += expected.count
        return value
    }

    private mutating func object(depth: Int) throws -> [String: JSON] {
        guard depth <= Self.deepest else { throw NotJSON() }
        var members: [String: JSON] = [:]
        place += 1
        skipBlanks()
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            skipBlanks()
            guard byte == .quote else { throw NotJSON() }
            let name = try string()
            skipBlanks()
            guard take(.colon) else { throw NotJSON() }
            guard members.updateValue(try value(depth: depth), forKey: name) == nil else { throw NotJSON() }
            skipBlanks()
        } while take(.comma)
        guard take(UInt8(ascii: "}")) else { throw NotJSON() }
        return members
    }

    private mutating func array(depth: Int) throws -> [JSON] {
        guard depth <= Self.deepest else { throw NotJSON() }
        var items: [JSON] = []
        place += 1
        skipBlanks()
        if take(UInt8(ascii: "]")) { return items }
        repeat {
            items.append(try value(depth: depth))
            skipBlanks()
        } while take(.comma)
        guard take(UInt8(ascii: "]")) else { throw NotJSON() }
        return items
    }

    private mutating func number() throws -> JSON {
        let start = place
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isInteger, let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw NotJSON() }
        return .number(number)
    }

    private mutating func digits() throws {
        let start = place
        while let byte, byte.isDigit { place += 1 }
        guard place > start else { throw NotJSON() }
    }

    private mutating func string() throws -> String {
        place += 1
        let start = place
        while let byte, byte != .quote, byte != .backslash, byte >= 0x20 { place += 1 }
        guard byte != .quote else {
            defer { place += 1 }
            return String(decoding: bytes[start..<place], as: UTF8.self)
        }
        return try stringWithEscapes(from: start)
    }

    private mutating func stringWithEscapes(from start: Int) throws -> String {
        var text = Array(bytes[start..<place])
        while !take(.quote) {
            guard let byte, byte >= 0x20 else { throw NotJSON() }
            place += 1
            if byte == .backslash { try escape(into: &text) } else { text.append(byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape(into text: inout [UInt8]) throws {
        guard let byte else { throw NotJSON() }
        place += 1
        switch byte {
        case .quote, .backslash, UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(.lineFeed)
        case UInt8(ascii: "r"): text.append(.carriageReturn)
        case UInt8(ascii: "t"): text.append(.tab)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try escapedScalar()).utf8)
        default: throw NotJSON()
        }
    }

    /// One `\uXXXX`, or two of them that are a surrogate pair.
    private mutating func escapedScalar() throws -> Character {
        var units = [try escapedUnit()]
        if UTF16.isLeadSurrogate(units[0]) {
            guard take(.backslash), take(UInt8(ascii: "u")) else { throw NotJSON() }
            units.append(try escapedUnit())
        }
        guard let text = String(validating: units, as: UTF16.self), let scalar = text.unicodeScalars.first else {
            throw NotJSON()
        }
        return Character(scalar)
    }

    private mutating func escapedUnit() throws -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = byte.flatMap(Grammar.hexValue) else { throw NotJSON() }
            unit = unit << 4 | UInt16(digit)
            place += 1
        }
        return unit
    }
}

extension JSON {
    /// The value as text, with its members ordered by the bytes of their names.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): bytes.append(contentsOf: "\(value)".utf8)
        case .string(let value): JSONWriter.appendString(value, to: &bytes)
        case .array(let items):
            Self.write(items, between: "[]", to: &bytes) { item, bytes in item.write(to: &bytes) }
        case .object(let members):
            let ordered = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            Self.write(ordered, between: "{}", to: &bytes) { member, bytes in
                JSONWriter.appendString(member.key, to: &bytes)
                bytes.append(.colon)
                member.value.write(to: &bytes)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item], between brackets: String, to bytes: inout [UInt8], _ write: (Item, inout [UInt8]) -> Void
    ) {
        bytes.append(brackets.utf8.first!)
        for (place, item) in items.enumerated() {
            if place > 0 { bytes.append(.comma) }
            write(item, &bytes)
        }
        bytes.append(brackets.utf8.last!)
    }
}
