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

extension Money {
    /// As it stands on paper: `12.50 EUR`.
    public var text: String {
        let digits = Currencies.digits(of: currency)
        guard digits > 0 else { return "\(amount) \(currency)" }
        let written = String(repeating: "0", count: max(0, digits + 1 - "\(amount)".count)) + "\(amount)"
        return "\(written.dropLast(digits)).\(written.suffix(digits)) \(currency)"
    }
}

/// The currencies that there are.
public enum Currencies {
    /// Into how many digits of the smallest unit one is divided.
    static func digits(of code: String) -> Int {
        if withoutCents.contains(Substring(code)) { return 0 }
        return withThousandths.contains(Substring(code)) ? 3 : 2
    }

    private static let withoutCents = Set(
        "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split { $0 == " " })
    private static let withThousandths = Set("BHD IQD JOD KWD LYD OMR TND".split { $0 == " " })

    /// Whether that is one by ISO 4217 which somebody pays with today: neither a former one, nor a metal or a unit of accounts.
    public static func have(_ code: String) -> Bool { codes.contains(Substring(code)) }

    private static let codes = Set(
        """
        AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
        CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG
        HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL
        MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR
        RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD
        TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
        """.split { $0 == " " || $0 == "\n" })
}
