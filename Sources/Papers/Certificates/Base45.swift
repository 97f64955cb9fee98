/// Bytes as text in the alphabet of RFC 9285, which codes hold in less room than any other.
enum Base45 {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)
    private static let values: [UInt8?] = digits.enumerated().reduce(into: Array(repeating: nil, count: 256)) {
        $0[Int($1.element)] = UInt8($1.offset)
    }

    /// The bytes; nil for a text that is not such an encoding.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 3 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 2 / 3)
        var (number, weight) = (0, 1)
        for digit in text {
            guard let value = values[Int(digit)] else { return nil }
            number += Int(value) * weight
            weight *= 45
            guard weight == 45 * 45 * 45 else { continue }
            guard number <= 0xffff else { return nil }
            bytes.append(UInt8(number >> 8))
            bytes.append(UInt8(number & 0xff))
            (number, weight) = (0, 1)
        }
        guard weight > 1 else { return bytes }
        guard number <= 0xff else { return nil }
        return bytes + [UInt8(number)]
    }

    /// The text.
    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for place in stride(from: 0, to: bytes.count, by: 2) {
            let isPair = place + 1 < bytes.count
            var number = isPair ? Int(bytes[place]) << 8 | Int(bytes[place + 1]) : Int(bytes[place])
            for _ in 0..<(isPair ? 3 : 2) {
                text.append(digits[number % 45])
                number /= 45
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
