/// Writes JSON straight into bytes: what answers are made of where Codable would cost too much.
public struct JSONWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// An empty writer, with room for so much.
    public init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    /// An object as a value of its own: the whole text, or an item of an array.
    public mutating func object(_ write: (inout JSONWriter) -> Void) {
        begin(UInt8(ascii: "{"))
        write(&self)
        end(UInt8(ascii: "}"))
    }

    /// A text field.
    public mutating func field(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// A text field that is null when there is none.
    public mutating func field(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { string(value) } else { bytes.append(contentsOf: "null".utf8) }
    }

    /// A field of so many ASCII characters that need no escape, which `fill` writes.
    public mutating func field(
        _ name: StaticString, ascii count: Int, fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        key(name)
        bytes.append(.quote)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { text in
            fill(text)
            bytes.append(contentsOf: text)
        }
        bytes.append(.quote)
    }

    /// A number field.
    public mutating func field(_ name: StaticString, _ value: Int) {
        key(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    /// A field that holds a number with a fraction, which must be finite.
    public mutating func field(_ name: StaticString, _ value: Double) {
        key(name)
        bytes.append(contentsOf: "\(value)".utf8)
    }

    /// A field that is true or false.
    public mutating func field(_ name: StaticString, _ value: Bool) {
        key(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// A field that holds JSON which is written already.
    public mutating func raw(_ name: StaticString, _ json: [UInt8]) {
        key(name)
        bytes.append(contentsOf: json)
    }

    /// A field that holds an object.
    public mutating func object(_ name: StaticString, _ write: (inout JSONWriter) -> Void) {
        key(name)
        needsComma = false
        object(write)
    }

    /// A field that holds a list.
    public mutating func array<Item>(
        _ name: StaticString, _ items: some Sequence<Item>, _ write: (inout JSONWriter, Item) -> Void
    ) {
        key(name)
        needsComma = false
        begin(UInt8(ascii: "["))
        for item in items { write(&self, item) }
        end(UInt8(ascii: "]"))
    }

    /// A text as a value of its own: an item of an array.
    public mutating func item(_ value: String) {
        if needsComma { bytes.append(.comma) }
        string(value)
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        if needsComma { bytes.append(.comma) }
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// In one piece, since each append has a price and names are most of what is appended.
    private mutating func key(_ name: StaticString) {
        let length = name.utf8CodeUnitCount
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length + 4) { text in
            text[0] = .comma
            text[1] = .quote
            (text.baseAddress! + 2).update(from: name.utf8Start, count: length)
            text[length + 2] = .quote
            text[length + 3] = .colon
            bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: text[(needsComma ? 0 : 1)...]))
        }
        needsComma = true
    }

    private mutating func string(_ value: String) {
        Self.appendString(value, to: &bytes)
    }

    /// Writes a text as a JSON string.
    public static func appendString(_ value: String, to bytes: inout [UInt8]) {
        bytes.append(.quote)
        var value = value
        value.withUTF8 { utf8 in
            var from = 0
            for place in utf8.indices where utf8[place] < 0x20 || utf8[place] == .quote || utf8[place] == .backslash {
                bytes.append(contentsOf: utf8[from..<place])
                appendEscaped(utf8[place], to: &bytes)
                from = place + 1
            }
            bytes.append(contentsOf: utf8[from...])
        }
        bytes.append(.quote)
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(.backslash)
        switch byte {
        case .quote, .backslash: bytes.append(byte)
        case .lineFeed: bytes.append(UInt8(ascii: "n"))
        case .carriageReturn: bytes.append(UInt8(ascii: "r"))
        case .tab: bytes.append(UInt8(ascii: "t"))
        default:
            let hexDigit = { (value: UInt8) in value < 10 ? 0x30 + value : 0x57 + value }
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
    }
}
