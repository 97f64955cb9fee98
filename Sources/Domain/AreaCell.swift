/// An area of about a kilometre: a cell of geohash, which halves the world between east and west and between south and north in
/// turn, and writes five halvings as one character. Its name has six.
public struct AreaCell: Hashable, Sendable {
    /// Which of so many rows from the south it is in, and which of so many columns from the date line.
    public let row, column: Int32

    /// How many rows there are, and as many columns: fifteen halvings each way.
    private static let count = 32_768.0
    private static let digits = Array("0123456789bcdefghjkmnpqrstuvwxyz".utf8)

    /// The cell that a place is in.
    public init(of place: Location) {
        func part(_ degrees: Double, of all: Double) -> Int32 { Int32(min(degrees * Self.count / all, Self.count - 1)) }
        (row, column) = (part(place.lat + 90, of: 180), part(place.lon + 180, of: 360))
    }

    /// The cell of a number, as the database keeps them; nil for what has no place.
    public init?(number: Int32) {
        guard number >= 0 else { return nil }
        (row, column) = (number >> 15, number & 0x7fff)
    }

    /// The same in one number.
    public var number: Int32 { row << 15 | column }

    /// The place in its middle.
    public var middle: Location {
        Location(
            lat: (Double(row) + 0.5) * 180 / Self.count - 90, lon: (Double(column) + 0.5) * 360 / Self.count - 180)!
    }
}

extension AreaCell: LosslessStringConvertible {
    /// Reads a name of six characters.
    public init?(_ description: String) {
        let digits = description.utf8.compactMap { Self.digits.firstIndex(of: $0) }
        guard description.utf8.count == 6, digits.count == 6 else { return nil }
        let bits = digits.reduce(UInt32(0)) { $0 << 5 | UInt32($1) }
        (row, column) = (Self.everySecond(of: bits), Self.everySecond(of: bits >> 1))
    }

    public var description: String {
        let bits = Self.spread(column) << 1 | Self.spread(row)
        return String(
            decoding: stride(from: 25, through: 0, by: -5).map { Self.digits[Int(bits >> $0 & 31)] }, as: UTF8.self)
    }

    private static func spread(_ number: Int32) -> UInt32 {
        (0..<15).reduce(0) { $0 | (UInt32(number) >> $1 & 1) << (2 * $1) }
    }

    private static func everySecond(of bits: UInt32) -> Int32 {
        (0..<15).reduce(0) { $0 | Int32(bits >> (2 * $1) & 1) << $1 }
    }
}
