/// A set of bytes, written out.
struct Bytes {
    private let holds: [Bool]
    /// The members, in order.
    let all: [UInt8]

    init(_ members: some Sequence<UInt8>) {
        var holds = [Bool](repeating: false, count: 256)
        for byte in members { holds[Int(byte)] = true }
        self.holds = holds
        all = (0...255).filter { holds[Int($0)] }
    }

    init(_ characters: String) {
        self.init(characters.utf8)
    }

    func contains(_ byte: UInt8) -> Bool { holds[Int(byte)] }

    static let digits = "0123456789"
    static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    static let digit = Bytes(digits)
    static let hex = Bytes(digits + "abcdefABCDEF")

    /// RFC 9110, 5.6.2.
    static let tchar = Bytes("!#$%&'*+-.^_`|~" + digits + letters)
    /// RFC 9110, 5.5: visible characters, obs-text, and the blanks between them.
    static let fieldValue = Bytes([9] + [32] + Array(0x21...0x7e) + Array(0x80...0xff))
    /// RFC 9110, 5.6.4.
    static let qdtext = Bytes([9, 32, 0x21] + Array(0x23...0x5b) + Array(0x5d...0x7e) + Array(0x80...0xff))

    /// RFC 3986, 2.2 and 2.3.
    static let unreserved = Bytes("-._~" + digits + letters)
    static let regName = Bytes("-._~" + "!$&'()*+,;=" + "%" + digits + letters)
    static let path = Bytes("/" + "-._~" + "!$&'()*+,;=" + ":@" + "%" + digits + letters)
    static let query = Bytes("/?" + "-._~" + "!$&'()*+,;=" + ":@" + "%" + digits + letters)
    /// All bytes that may occur somewhere in some form of a request target.
    static let uri = Bytes(query.all + Array("[]".utf8))
    static let controls = Bytes(Array(0...31) + [127])
}

/// Bytes as text, one character each, so that nothing is lost.
func latin1(_ bytes: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

extension [UInt8] {
    /// The bytes of a text made by ``latin1(_:)``.
    init(latin1 text: String) {
        self = text.unicodeScalars.map { UInt8($0.value) }
    }
}

/// Bytes as in a Swift string literal, to be read and pasted.
func escaped(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        switch byte {
        case 13: "\\r"
        case 10: "\\n"
        case 34, 92: "\\" + latin1([byte])
        case 0x20...0x7e: latin1([byte])
        default: "\\u{\(String(byte, radix: 16))}"
        }
    }.joined()
}
