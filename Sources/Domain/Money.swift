/// An amount of money, in the smallest unit of its currency.
public struct Money: Equatable, Sendable {
    /// So many of the smallest unit.
    public let amount: Int64
    /// The currency by ISO 4217.
    public let currency: String

    /// The greatest amount: more than any parcel is worth, and a thousand million of them can be added up.
    public static let most: Int64 = 1_000_000_000

    /// An amount of a currency.
    public init(_ amount: Int64, _ currency: String) throws(InvalidValue) {
        guard (0...Self.most).contains(amount) else {
            throw InvalidValue("out_of_range", ["least": "0", "most": "\(Self.most)"])
        }
        guard currency.utf8.count == 3,
            currency.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { throw InvalidValue("invalid_currency") }
        (self.amount, self.currency) = (amount, currency)
    }
}
