/// A UUID, as all things of Kurir have one.
public struct ID: Hashable, Comparable, Sendable {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// The UUID of these sixteen bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A UUID of version 7 (RFC 9562, 5.7): sorted by the time since 1970 and, within a millisecond, by chance.
    public static func version7(milliseconds: Int64, random: (UInt64, UInt64)) -> ID {
        ID(
            high: UInt64(bitPattern: milliseconds) << 16 | 0x7000 | random.0 & 0x0fff,
            low: 0x8000_0000_0000_0000 | random.1 & 0x3fff_ffff_ffff_ffff)
    }

    /// As the bytes are sorted, and so the text.
    public static func < (left: ID, right: ID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension ID: LosslessStringConvertible {
    /// Reads the canonical form, 8-4-4-4-12 hexadecimal digits in any case, and nothing else.
    public init?(_ description: String) {
        var halves: (UInt64, UInt64) = (0, 0)
        var place = 0
        for byte in description.utf8 {
            if Self.isDash(place) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard place < Self.length, let digit = Self.value(byte) else { return nil }
                halves = (halves.0 << 4 | halves.1 >> 60, halves.1 << 4 | digit)
            }
            place += 1
        }
        guard place == Self.length else { return nil }
        self.init(high: halves.0, low: halves.1)
    }

    /// The canonical form in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.length) { text in
            write(into: text)
            return Self.length
        }
    }

    /// Writes the canonical form into as many bytes as ``length``.
    public func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        var place = 0
        for (half, dashes) in [(high, 0x1100), (low, 0x0011)] as [(UInt64, Int)] {
            for nibble in 0..<16 {
                if dashes >> nibble & 1 == 1 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                text[place] = Self.digit(half >> UInt64(60 - 4 * nibble) & 15)
                place += 1
            }
        }
    }

    /// Characters of the canonical form.
    public static let length = 36

    private static func isDash(_ place: Int) -> Bool {
        place == 8 || place == 13 || place == 18 || place == 23
    }

    private static func digit(_ value: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: value) + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }

    private static func value(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
