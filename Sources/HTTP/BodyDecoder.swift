/// Extracts a body from the bytes of a connection, by length or by chunks (RFC 9112, 7.1).
struct BodyDecoder: Sendable {
    private var state: State
    private let limit: Int
    /// How many bytes of the body have come.
    private var size = 0
    /// The bound on chunk extensions and trailers together. Nobody needs them, but they are allowed.
    private var overhead = 4096

    private enum State: Equatable {
        case plain(Int)
        case size(Int, digits: Int)
        case extensions(Int, ChunkExtension)
        case sizeLineFeed(Int)
        case data(Int)
        case dataCarriageReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, endLineFeed
        case complete
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`
    private enum ChunkExtension {
        case blankBefore, beforeName, name, blankAfterName, beforeValue, value, quoted, escaped, closed
    }

    init(_ framing: Framing, limit: Int) throws(Malformed) {
        self.limit = limit
        switch framing {
        case .none: state = .complete
        case .length(let length):
            guard length <= limit else { throw .bodyTooLarge }
            state = .plain(length)
        case .chunked: state = .size(0, digits: 0)
        }
    }

    var isComplete: Bool { state == .complete }

    /// Takes what belongs to the body from the front of `bytes`; returns how many bytes that were.
    mutating func decode(_ bytes: Span<UInt8>, into body: inout [UInt8]) throws(Malformed) -> Int {
        var position = 0
        while position < bytes.count, state != .complete {
            switch state {
            case .plain(let missing), .data(let missing):
                let count = min(missing, bytes.count - position)
                body.append(copying: bytes, position..<position + count)
                position += count
                size += count
                advance(past: count, of: missing)
            default:
                try step(bytes[position])
                position += 1
            }
        }
        return position
    }

    private mutating func advance(past count: Int, of missing: Int) {
        if case .plain = state {
            state = count == missing ? .complete : .plain(missing - count)
        } else {
            state = count == missing ? .dataCarriageReturn : .data(missing - count)
        }
    }

    private mutating func step(_ byte: UInt8) throws(Malformed) {
        switch state {
        case .size(let soFar, let digits): try chunkSize(byte, soFar, digits)
        case .extensions(let chunk, let place): try chunkExtension(byte, chunk, place)
        case .sizeLineFeed(let chunk):
            guard byte == .lineFeed else { throw .chunk }
            state = chunk == 0 ? .trailerStart : .data(chunk)
        case .dataCarriageReturn:
            guard byte == .carriageReturn else { throw .chunk }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == .lineFeed else { throw .chunk }
            state = .size(0, digits: 0)
        default: try trailer(byte)
        }
    }

    private mutating func chunkSize(_ byte: UInt8, _ soFar: Int, _ digits: Int) throws(Malformed) {
        if let value = Grammar.hexValue(byte) {
            guard digits < 16 else { throw .chunk }
            let chunk = soFar * 16 + Int(value)
            guard size + chunk <= limit else { throw .bodyTooLarge }
            state = .size(chunk, digits: digits + 1)
            return
        }
        guard digits > 0 else { throw .chunk }
        switch byte {
        case .carriageReturn: state = .sizeLineFeed(soFar)
        case .semicolon: state = .extensions(soFar, .beforeName)
        case .space, .tab: state = .extensions(soFar, .blankBefore)
        default: throw .chunk
        }
    }

    private mutating func chunkExtension(_ byte: UInt8, _ chunk: Int, _ place: ChunkExtension) throws(Malformed) {
        try spend()
        if byte == .carriageReturn, place == .name || place == .value || place == .closed {
            state = .sizeLineFeed(chunk)
        } else if let next = Self.next(place, byte) {
            state = .extensions(chunk, next)
        } else {
            throw .chunk
        }
    }

    private static func next(_ place: ChunkExtension, _ byte: UInt8) -> ChunkExtension? {
        switch place {
        case .quoted where byte == .quote: .closed
        case .quoted where byte == .backslash: .escaped
        case .quoted, .escaped: Grammar.isFieldValue(byte) ? .quoted : nil
        case .beforeName where byte.isBlank: .beforeName
        case .beforeName: Grammar.token.contains(byte) ? .name : nil
        case .beforeValue where byte.isBlank: .beforeValue
        case .beforeValue where byte == .quote: .quoted
        case .beforeValue: Grammar.token.contains(byte) ? .value : nil
        case .name, .value, .closed, .blankBefore, .blankAfterName: nextOutside(place, byte)
        }
    }

    private static func nextOutside(_ place: ChunkExtension, _ byte: UInt8) -> ChunkExtension? {
        let isName = place == .name || place == .blankAfterName
        return switch byte {
        case .semicolon: .beforeName
        case .equals where isName: .beforeValue
        case .space, .tab: isName ? .blankAfterName : .blankBefore
        default: (place == .name || place == .value) && Grammar.token.contains(byte) ? place : nil
        }
    }

    /// Trailer fields are checked and dropped, since nothing here uses them.
    private mutating func trailer(_ byte: UInt8) throws(Malformed) {
        try spend()
        switch state {
        case .trailerStart where byte == .carriageReturn: state = .endLineFeed
        case .trailerStart where Grammar.token.contains(byte): state = .trailerName
        case .trailerName where byte == .colon: state = .trailerValue
        case .trailerName where Grammar.token.contains(byte): break
        case .trailerValue where byte == .carriageReturn: state = .trailerLineFeed
        case .trailerValue where Grammar.isFieldValue(byte): break
        case .trailerLineFeed where byte == .lineFeed: state = .trailerStart
        case .endLineFeed where byte == .lineFeed: state = .complete
        default: throw .trailer
        }
    }

    private mutating func spend() throws(Malformed) {
        overhead -= 1
        guard overhead >= 0 else { throw .bodyTooLarge }
    }
}

extension [UInt8] {
    mutating func append(copying bytes: Span<UInt8>, _ range: Range<Int>) {
        bytes.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
