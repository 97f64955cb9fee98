/// A phone number that messages reach: one of a mobile network, as far as the country's plan of numbers tells.
public struct MobileNumber: Hashable, Sendable {
    /// The number itself.
    public let phone: PhoneNumber

    /// Reads a number as ``PhoneNumber`` does.
    public init(_ text: String) throws(InvalidValue) {
        phone = try PhoneNumber(text)
        guard Self.mayBe(phone) else { throw InvalidValue("not_mobile") }
    }

    private static func mayBe(_ phone: PhoneNumber) -> Bool {
        !phone.e164.hasPrefix("+385") || croatian.contains { phone.e164.hasPrefix("+385" + $0) }
    }

    private static let croatian = ["91", "92", "95", "97", "98", "99"]
}
