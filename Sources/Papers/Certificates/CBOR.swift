/// A value of CBOR (RFC 8949).
///
/// libcbor 0.8 believes an array that says it has a billion items, and reserves eight gigabytes for five bytes. This reads no further
/// than what is there, and bounds how deep and how many.
indirect enum CBOR: Equatable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([Pair])
    case tagged(UInt64, CBOR)
    case number(Double)
    /// True, false, null and what else has neither bytes nor parts.
    case simple(UInt8)

    /// A member of a map.
    struct Pair: Equatable {
        let key, value: CBOR
    }

    static let mostDeep = 16
    static let mostItems = 4096

    /// Reads one value that is all of the bytes; nil if they are no such thing, or more than anybody means.
    init?(_ bytes: [UInt8]) {
        var reader = CBORReader(bytes)
        guard let value = try? reader.value(deep: 0), reader.isAtEnd else { return nil }
        self = value
    }

    /// A map's member by its number.
    subscript(_ key: Int64) -> CBOR? { self[.integer(key)] }

    /// A map's member by its name.
    subscript(_ key: String) -> CBOR? { self[.text(key)] }

    private subscript(_ key: CBOR) -> CBOR? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key == key }?.value
    }

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var items: [CBOR]? { if case .array(let items) = self { items } else { nil } }
    var isMap: Bool { if case .map = self { true } else { false } }

    /// The value without the tags around it.
    var untagged: CBOR {
        var value = self
        while case .tagged(_, let inner) = value { value = inner }
        return value
    }
}

/// Reads values one after the other.
private struct CBORReader {
    private let bytes: [UInt8]
    private var place = 0
    private var items = 0

    struct Malformed: Error {}

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func value(deep: Int) throws(Malformed) -> CBOR {
        items += 1
        guard deep <= CBOR.mostDeep, items <= CBOR.mostItems else { throw Malformed() }
        let head = try byte()
        let (kind, short) = (head >> 5, head & 31)
        if kind == 7 { return try plain(short) }
        // An item that is not told how long it is ends with a mark.
        if short == 31 { return try unbounded(kind, deep) }
        let number = try argument(short)
        switch kind {
        case 0: return .integer(try signed(number))
        case 1: return .integer(-1 - (try signed(number)))
        case 2: return .bytes(Array(try take(number)))
        case 3: return .text(try text(Array(try take(number))))
        case 4: return .array(try array(number, deep))
        case 5: return .map(try map(number, deep))
        default: return .tagged(number, try value(deep: deep + 1))
        }
    }

    private mutating func byte() throws(Malformed) -> UInt8 {
        guard place < bytes.count else { throw Malformed() }
        defer { place += 1 }
        return bytes[place]
    }

    private mutating func take(_ count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - place) else { throw Malformed() }
        defer { place += Int(count) }
        return bytes[place..<place + Int(count)]
    }

    private mutating func argument(_ short: UInt8) throws(Malformed) -> UInt64 {
        switch short {
        case 0..<24: return UInt64(short)
        case 24...27: return try take(1 << UInt64(short - 24)).reduce(0) { $0 << 8 | UInt64($1) }
        default: throw Malformed()
        }
    }

    private func signed(_ number: UInt64) throws(Malformed) -> Int64 {
        guard let number = Int64(exactly: number) else { throw Malformed() }
        return number
    }

    private func text(_ bytes: [UInt8]) throws(Malformed) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    /// Each item has a byte at least, so nothing is made room for that is not there.
    private mutating func array(_ count: UInt64, _ deep: Int) throws(Malformed) -> [CBOR] {
        guard count <= UInt64(bytes.count - place) else { throw Malformed() }
        var items: [CBOR] = []
        for _ in 0..<count { items.append(try value(deep: deep + 1)) }
        return items
    }

    private mutating func map(_ count: UInt64, _ deep: Int) throws(Malformed) -> [CBOR.Pair] {
        guard count <= UInt64(bytes.count - place) / 2 else { throw Malformed() }
        var pairs: [CBOR.Pair] = []
        for _ in 0..<count { pairs.append(try pair(deep)) }
        return pairs
    }

    private mutating func pair(_ deep: Int) throws(Malformed) -> CBOR.Pair {
        let key = try value(deep: deep + 1)
        return CBOR.Pair(key: key, value: try value(deep: deep + 1))
    }

    private mutating func unbounded(_ kind: UInt8, _ deep: Int) throws(Malformed) -> CBOR {
        switch kind {
        case 2, 3:
            var whole: [UInt8] = []
            while !isEnded() {
                switch try value(deep: deep + 1) {
                case .bytes(let piece) where kind == 2: whole += piece
                case .text(let piece) where kind == 3: whole += piece.utf8
                default: throw Malformed()
                }
            }
            return kind == 2 ? .bytes(whole) : .text(try text(whole))
        case 4:
            var items: [CBOR] = []
            while !isEnded() { items.append(try value(deep: deep + 1)) }
            return .array(items)
        case 5:
            var pairs: [CBOR.Pair] = []
            while !isEnded() { pairs.append(try pair(deep)) }
            return .map(pairs)
        default: throw Malformed()
        }
    }

    private mutating func isEnded() -> Bool {
        guard place < bytes.count, bytes[place] == 0xff else { return false }
        place += 1
        return true
    }

    private mutating func plain(_ short: UInt8) throws(Malformed) -> CBOR {
        switch short {
        case 0..<24: return .simple(short)
        case 24: return .simple(try byte())
        case 25: return .number(Self.half(UInt16(try argument(short))))
        case 26: return .number(Double(Float(bitPattern: UInt32(try argument(short)))))
        case 27: return .number(Double(bitPattern: try argument(short)))
        default: throw Malformed()
        }
    }

    /// A number of sixteen bits: a sign, five bits of exponent, ten of fraction.
    private static func half(_ bits: UInt16) -> Double {
        let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 0x3ff))
        let size =
            switch exponent {
            case 0: fraction * 0x1p-24
            case 31: fraction == 0 ? Double.infinity : .nan
            default: Double(sign: .plus, exponent: exponent - 25, significand: 1024 + fraction)
            }
        return bits >> 15 == 1 ? -size : size
    }
}
