/// Reads the head of a request, byte by byte if need be, so that it does not matter how the network divided it.
///
/// It takes what RFC 9112 allows and refuses the rest, because requests are smuggled past a proxy when two readers
/// understand one request differently. It only looks at bytes: no input or output, no clock, and no allocation but for
/// the list of fields, whose room is used again.
struct RequestParser: Sendable {
    private(set) var head = RequestHead()
    /// How many bytes of the head were looked at; all of them, once it is complete.
    private(set) var position = 0

    private let maximumSize: Int
    private let maximumFields = 100
    private var state = State.start
    private var mark = 0
    private var nameEnd = 0
    private var valueStart = 0
    private var fields = FieldRules()

    private enum State {
        case start, startLineFeed
        case method
        case target, escape, escapeSecond
        case version, requestLineFeed
        case lineStart, fieldName, beforeValue, value, valueLineFeed, endLineFeed
        case complete
    }

    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// Looks at the bytes that it has not seen yet. `bytes` begin where the request begins. True when the head is
    /// complete.
    mutating func parse(_ bytes: Span<UInt8>) throws(Malformed) -> Bool {
        let end = min(bytes.count, maximumSize)
        while position < end, state != .complete { try step(bytes, end) }
        if state == .complete { return true }
        guard bytes.count < maximumSize else { throw isInRequestLine ? .targetTooLong : .headTooLarge }
        return false
    }

    /// Prepares for the next request, keeping the allocated room.
    mutating func reset() {
        head.fields.removeAll(keepingCapacity: true)
        let room = head.fields
        head = RequestHead()
        head.fields = room
        fields = FieldRules()
        position = 0
        state = .start
    }

    /// Whether anything of a request has come.
    var hasBegun: Bool { position > 0 }

    private var isInRequestLine: Bool {
        switch state {
        case .method, .target, .escape, .escapeSecond, .version, .requestLineFeed: true
        default: false
        }
    }

    private mutating func step(_ bytes: Span<UInt8>, _ end: Int) throws(Malformed) {
        switch state {
        case .start: try start(bytes[position])
        case .startLineFeed: try expectLineFeed(bytes[position], then: .method, mark: true)
        case .method: try method(bytes, end)
        case .target: try target(bytes, end)
        case .escape, .escapeSecond: try escape(bytes[position])
        case .version: try version(bytes)
        case .requestLineFeed: try expectLineFeed(bytes[position], then: .lineStart)
        case .lineStart: try lineStart(bytes[position])
        case .fieldName: try fieldName(bytes, end)
        case .beforeValue: beforeValue(bytes[position])
        case .value: try value(bytes, end)
        case .valueLineFeed:
            try expectLineFeed(bytes[position], then: .lineStart)
            try endField(bytes)
        case .endLineFeed:
            try expectLineFeed(bytes[position], then: .complete)
            try fields.finish(&head)
        case .complete: break
        }
    }

    // MARK: Request line

    /// One empty line before a request is ignored, as RFC 9112, 2.2 advises.
    private mutating func start(_ byte: UInt8) throws(Malformed) {
        if byte == .carriageReturn {
            state = .startLineFeed
            position += 1
        } else {
            mark = position
            state = .method
        }
    }

    private mutating func method(_ bytes: Span<UInt8>, _ end: Int) throws(Malformed) {
        while position < end, Grammar.token.contains(bytes[position]) { position += 1 }
        guard position < end else { return }
        guard bytes[position] == .space, position > mark else { throw .method }
        head.method = Stretch(mark, position)
        position += 1
        mark = position
        head.pathEnd = -1
        state = .target
    }

    private mutating func target(_ bytes: Span<UInt8>, _ end: Int) throws(Malformed) {
        while position < end {
            let byte = bytes[position]
            guard Grammar.target.contains(byte) || mayBeOfAuthority(byte, bytes) else {
                return try endTarget(bytes, byte)
            }
            if byte == .questionMark, head.pathEnd < 0 { head.pathEnd = position }
            position += 1
            if byte == .percent {
                head.hasEscapes = true
                state = .escape
                return
            }
        }
    }

    /// Only an address within an authority has brackets, and a target that begins with a slash has no authority.
    private func mayBeOfAuthority(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        byte.isBracket && bytes[mark] != .slash
    }

    private mutating func escape(_ byte: UInt8) throws(Malformed) {
        guard Grammar.hexValue(byte) != nil else { throw .target }
        state = state == .escape ? .escapeSecond : .target
        position += 1
    }

    private mutating func endTarget(_ bytes: Span<UInt8>, _ byte: UInt8) throws(Malformed) {
        guard byte == .space, position > mark else { throw .target }
        if head.pathEnd < 0 { head.pathEnd = position }
        head.target = Stretch(mark, position)
        try TargetForm.check(&head, bytes)
        position += 1
        mark = position
        state = .version
    }

    private mutating func version(_ bytes: Span<UInt8>) throws(Malformed) {
        let expected: StaticString = "HTTP/"
        let byte = bytes[position]
        let place = position - mark
        switch place {
        case 0..<5: guard byte == expected.utf8Start[place] else { throw .version }
        case 5, 7: guard byte.isDigit else { throw .version }
        case 6: guard byte == UInt8(ascii: ".") else { throw .version }
        default:
            guard byte == .carriageReturn else { throw byte == .lineFeed ? .lineEnding : .version }
            try endVersion(major: bytes[mark + 5], minor: bytes[mark + 7])
        }
        position += 1
    }

    /// A later minor version is served as the highest known one.
    private mutating func endVersion(major: UInt8, minor: UInt8) throws(Malformed) {
        guard major == UInt8(ascii: "1") else { throw .versionNotSupported }
        head.minorVersion = minor == UInt8(ascii: "0") ? 0 : 1
        head.keepsAlive = head.minorVersion == 1
        state = .requestLineFeed
    }

    // MARK: Field lines

    private mutating func lineStart(_ byte: UInt8) throws(Malformed) {
        switch byte {
        case .carriageReturn:
            position += 1
            state = .endLineFeed
        case .lineFeed: throw .lineEnding
        case .space, .tab: throw .folding
        default:
            mark = position
            state = .fieldName
        }
    }

    private mutating func fieldName(_ bytes: Span<UInt8>, _ end: Int) throws(Malformed) {
        while position < end, Grammar.token.contains(bytes[position]) { position += 1 }
        guard position < end else { return }
        let byte = bytes[position]
        guard byte == .colon, position > mark else { throw byte.isBlank ? .spaceBeforeColon : .fieldName }
        nameEnd = position
        position += 1
        state = .beforeValue
    }

    private mutating func beforeValue(_ byte: UInt8) {
        if byte.isBlank {
            position += 1
        } else {
            valueStart = position
            state = .value
        }
    }

    private mutating func value(_ bytes: Span<UInt8>, _ end: Int) throws(Malformed) {
        while position < end, Grammar.isFieldValue(bytes[position]) { position += 1 }
        guard position < end else { return }
        guard bytes[position] == .carriageReturn else {
            throw bytes[position] == .lineFeed ? .lineEnding : .fieldValue
        }
        var last = position
        while last > valueStart, bytes[last - 1].isBlank { last -= 1 }
        head.fields.append(FieldLine(name: Stretch(mark, nameEnd), value: Stretch(valueStart, last)))
        position += 1
        state = .valueLineFeed
    }

    private mutating func endField(_ bytes: Span<UInt8>) throws(Malformed) {
        guard head.fields.count <= maximumFields else { throw .headTooLarge }
        try fields.take(head.fields[head.fields.count - 1], of: bytes, for: &head)
    }

    private mutating func expectLineFeed(
        _ byte: UInt8, then next: State, mark marks: Bool = false
    ) throws(Malformed) {
        guard byte == .lineFeed else { throw .lineEnding }
        position += 1
        if marks { mark = position }
        state = next
    }
}
