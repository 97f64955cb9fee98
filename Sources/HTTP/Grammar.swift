/// The character classes of RFC 9110, 9112 and 3986, each a set of ASCII bytes in two words.
struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    init(_ members: String) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in members.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        (self.low, self.high) = (low, high)
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        let word = byte < 64 ? low : high
        return word >> UInt64(byte & 63) & 1 == 1
    }

    func contains(all bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy(contains)
    }
}

enum Grammar {
    private static let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let subDelims = "!$&'()*+,;="

    /// `token` (RFC 9110, 5.6.2): methods and field names.
    static let token = ByteSet(alphanumeric + "!#$%&'*+-.^_`|~")
    /// `pchar`, `/` and `?` (RFC 3986), of which paths and queries are made. Digits behind `%` are checked elsewhere.
    static let target = ByteSet(alphanumeric + "-._~" + subDelims + ":@/?%")
    /// `reg-name` and the brackets, colons and digits around it.
    static let host = ByteSet(alphanumeric + "-._~" + subDelims + "%")
    /// The inside of an address in brackets.
    static let addressLiteral = ByteSet(alphanumeric + "-._~" + subDelims + ":")
    /// The characters of request ids that clients may choose, so that ids are safe in logs.
    static let requestID = ByteSet(alphanumeric + "-._~:+/=@")

    /// `field-vchar`, space and tab.
    @inline(__always)
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7f || byte == .tab
    }

    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}

extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0a
    static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let percent: UInt8 = 0x25
    static let comma: UInt8 = 0x2c
    static let slash: UInt8 = 0x2f
    static let colon: UInt8 = 0x3a
    static let semicolon: UInt8 = 0x3b
    static let equals: UInt8 = 0x3d
    static let questionMark: UInt8 = 0x3f
    static let backslash: UInt8 = 0x5c

    var isDigit: Bool { 0x30...0x39 ~= self }
    var isBlank: Bool { self == .space || self == .tab }
    var isBracket: Bool { self == UInt8(ascii: "[") || self == UInt8(ascii: "]") }
    @inline(__always)
    var lowercased: UInt8 { 0x41...0x5a ~= self ? self | 0x20 : self }
}
