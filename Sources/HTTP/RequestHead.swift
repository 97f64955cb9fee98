/// A stretch of the bytes of a head.
struct Stretch: Equatable, Sendable {
    var start: Int32
    var end: Int32

    init(_ start: Int, _ end: Int) {
        self.start = Int32(start)
        self.end = Int32(end)
    }

    var range: Range<Int> { Int(start)..<Int(end) }
    var isEmpty: Bool { start == end }
}

/// A field line: its name and its value without the blanks around it.
struct FieldLine: Equatable, Sendable {
    var name: Stretch
    var value: Stretch
}

/// How the end of a body is found.
enum Framing: Equatable, Sendable {
    case none
    case length(Int)
    case chunked
}

/// The result of parsing a head: places in its bytes, and how the connection goes on.
struct RequestHead: Sendable {
    var method = Stretch(0, 0)
    var target = Stretch(0, 0)
    /// The place of the first byte of the query, or the target's end.
    var pathEnd = 0
    var minorVersion: UInt8 = 1
    var fields: [FieldLine] = []
    var framing = Framing.none
    var keepsAlive = true
    var expectsContinue = false
    /// Whether the target has percent-encoded bytes that must be decoded and checked.
    var hasEscapes = false
}
