/// A UUID. Everything in Kurir has one.
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

    /// Ids are sorted like their bytes, and so like their texts.
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
        let text = UnsafeMutableRawBufferPointer(text)
        let dash = UInt8(ascii: "-")
        text.storeBytes(of: Self.digits(high >> 32), toByteOffset: 0, as: UInt64.self)
        text[8] = dash
        Self.store(Self.digits(high), in: text, at: 9, and: 14)
        text[13] = dash
        text[18] = dash
        Self.store(Self.digits(low >> 32), in: text, at: 19, and: 24)
        text[23] = dash
        text.storeBytes(of: Self.digits(low), toByteOffset: 28, as: UInt64.self)
    }

    /// Characters of the canonical form.
    public static let length = 36

    private static func isDash(_ place: Int) -> Bool {
        place == 8 || place == 13 || place == 18 || place == 23
    }

    /// Stores eight digits, of which the first four and the last four lie apart.
    private static func store(
        _ digits: UInt64, in text: UnsafeMutableRawBufferPointer, at first: Int, and last: Int
    ) {
        text.storeBytes(of: UInt32(truncatingIfNeeded: digits), toByteOffset: first, as: UInt32.self)
        text.storeBytes(of: UInt32(truncatingIfNeeded: digits >> 32), toByteOffset: last, as: UInt32.self)
    }

    /// The hexadecimal digits of the lower half, all eight at once, as they lie in memory.
    private static func digits(_ value: UInt64) -> UInt64 {
        var nibbles = value & 0xffff_ffff
        nibbles = (nibbles << 16 | nibbles) & 0x0000_ffff_0000_ffff
        nibbles = (nibbles << 8 | nibbles) & 0x00ff_00ff_00ff_00ff
        nibbles = (nibbles << 4 | nibbles) & 0x0f0f_0f0f_0f0f_0f0f
        // One in each byte whose digit is a letter: the letters' codes lie 39 further on than the digits' would.
        let letters = ((nibbles + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return (nibbles + 0x3030_3030_3030_3030 + letters * 39).bigEndian
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
