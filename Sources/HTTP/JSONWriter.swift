/// Writes JSON straight into bytes, for answers where Codable would cost too much.
///
/// It owns its memory alone: an array would check that before each of the thousands of appends to a list.
public struct JSONWriter: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0
    private var needsComma = false

    /// An empty writer with room for so many bytes.
    public init(capacity: Int = 512) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    deinit { start.deallocate() }

    /// What was written so far.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

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

    /// A text field whose name is known only when it is written.
    public mutating func field(name: String, _ value: String) {
        if needsComma { append(.comma) }
        string(name)
        append(.colon)
        string(value)
        needsComma = true
    }

    /// A text field that is null when there is none.
    public mutating func field(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { string(value) } else { append("null") }
    }

    /// A field of so many ASCII characters that need no escape, which `fill` writes.
    public mutating func field(
        _ name: StaticString, ascii length: Int, fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        key(name)
        append(.quote)
        reserve(length)
        fill(UnsafeMutableBufferPointer(start: start + count, count: length))
        count += length
        append(.quote)
    }

    /// A number field.
    public mutating func field(_ name: StaticString, _ value: Int) {
        key(name)
        append(plain: value.description)
    }

    /// A field that holds a number with a fraction, which must be finite.
    public mutating func field(_ name: StaticString, _ value: Double) {
        key(name)
        append(plain: value.description)
    }

    /// A field that holds such a number, or null.
    public mutating func field(_ name: StaticString, _ value: Double?) {
        key(name)
        if let value { append(plain: value.description) } else { append("null") }
    }

    /// A field that is true or false.
    public mutating func field(_ name: StaticString, _ value: Bool) {
        key(name)
        append(value ? "true" : "false")
    }

    /// A field that holds finished JSON.
    public mutating func raw(_ name: StaticString, _ json: [UInt8]) {
        key(name)
        append(json)
    }

    /// The same under a name that is known only when it is written.
    public mutating func raw(name: String, _ json: [UInt8]) {
        if needsComma { append(.comma) }
        string(name)
        append(.colon)
        append(json)
        needsComma = true
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

    /// Finished JSON as an item of an array.
    public mutating func item(written json: [UInt8]) {
        if needsComma { append(.comma) }
        append(json)
        needsComma = true
    }

    /// A text as a value of its own: an item of an array.
    public mutating func item(_ value: String) {
        if needsComma { append(.comma) }
        string(value)
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        if needsComma { append(.comma) }
        append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        append(bracket)
        needsComma = true
    }

    private mutating func key(_ name: StaticString) {
        reserve(name.utf8CodeUnitCount + 4)
        if needsComma { append(.comma) }
        append(.quote)
        append(name)
        append(.quote)
        append(.colon)
        needsComma = true
    }

    private mutating func string(_ value: String) {
        append(.quote)
        Self.pieces(of: value) { append($0) }
        append(.quote)
    }

    private mutating func append(plain text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    private mutating func append(_ json: [UInt8]) {
        json.withUnsafeBufferPointer { append($0) }
    }

    private mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func append(_ piece: UnsafeBufferPointer<UInt8>) {
        guard let from = piece.baseAddress else { return }
        reserve(piece.count)
        (start + count).initialize(from: from, count: piece.count)
        count += piece.count
    }

    private mutating func append(_ byte: UInt8) {
        reserve(1)
        start[count] = byte
        count += 1
    }

    private mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.moveInitialize(from: start, count: count)
        start.deallocate()
        start = larger
    }
}

extension JSONWriter {
    /// Writes a text as a JSON string, with the escapes that RFC 8785 wants.
    public static func appendString(_ value: String, to bytes: inout [UInt8]) {
        bytes.append(.quote)
        pieces(of: value) { bytes.append(contentsOf: $0) }
        bytes.append(.quote)
    }

    /// Passes on the text between the quotes in pieces: longer ones where nothing needs an escape.
    @inline(__always)
    private static func pieces(of value: String, _ append: (UnsafeBufferPointer<UInt8>) -> Void) {
        var value = value
        value.withUTF8 { utf8 in
            var from = 0
            for place in utf8.indices where utf8[place] < 0x20 || utf8[place] == .quote || utf8[place] == .backslash {
                append(UnsafeBufferPointer(rebasing: utf8[from..<place]))
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 6) { escape in
                    append(UnsafeBufferPointer(rebasing: escape[..<write(escapeOf: utf8[place], into: escape)]))
                }
                from = place + 1
            }
            append(UnsafeBufferPointer(rebasing: utf8[from...]))
        }
    }

    private static func write(escapeOf byte: UInt8, into escape: UnsafeMutableBufferPointer<UInt8>) -> Int {
        escape[0] = .backslash
        switch byte {
        case .quote, .backslash: escape[1] = byte
        case .lineFeed: escape[1] = UInt8(ascii: "n")
        case .carriageReturn: escape[1] = UInt8(ascii: "r")
        case .tab: escape[1] = UInt8(ascii: "t")
        case 0x08: escape[1] = UInt8(ascii: "b")
        case 0x0c: escape[1] = UInt8(ascii: "f")
        default:
            let hexDigit = { (value: UInt8) in value < 10 ? 0x30 + value : 0x57 + value }
            _ = escape[1...].update(fromContentsOf: "u00".utf8)
            escape[4] = hexDigit(byte >> 4)
            escape[5] = hexDigit(byte & 15)
            return 6
        }
        return 2
    }
}
