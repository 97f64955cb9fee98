/// Bytes as text in the alphabet of RFC 4648, section 5, without padding: fit for URLs and headers.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The text.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.digits(bytes, alphabet), as: UTF8.self)
    }

    /// The bytes; nil for a text that is not such an encoding.
    public static func decode(_ text: String) -> [UInt8]? {
        var (bits, count): (UInt32, Int) = (0, 0)
        var bytes: [UInt8] = []
        for digit in text.utf8 {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= 1 << UInt32(count) - 1
        }
        return count < 6 && bits == 0 ? bytes : nil
    }
}

/// Bytes as text in the usual alphabet of RFC 4648, with padding.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text.
    public static func encode(_ bytes: [UInt8]) -> String {
        let digits = digits(bytes, alphabet)
        return String(decoding: digits, as: UTF8.self) + String(repeating: "=", count: (4 - digits.count % 4) % 4)
    }

    /// The bytes; nil for a text that is not such an encoding.
    public static func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        if digits.count % 4 == 0 { for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() } }
        guard digits.allSatisfy(alphabet.contains) else { return nil }
        let plus = UInt8(ascii: "+"), slash = UInt8(ascii: "/")
        let others = digits.map { $0 == plus ? UInt8(ascii: "-") : $0 == slash ? UInt8(ascii: "_") : $0 }
        return Base64URL.decode(String(decoding: others, as: UTF8.self))
    }

    fileprivate static func digits(_ bytes: [UInt8], _ alphabet: [UInt8]) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (bits, count) = (UInt32(0), UInt32(0))
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                digits.append(alphabet[Int(bits >> count & 63)])
            }
        }
        if count > 0 { digits.append(alphabet[Int(bits << (6 - count) & 63)]) }
        return digits
    }
}
