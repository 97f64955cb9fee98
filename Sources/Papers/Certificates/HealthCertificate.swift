import Domain

/// An EU Digital COVID Certificate as it was signed, whether or not the signature is right.
struct HealthCertificate: Sendable {
    let message: SignedMessage
    let holder: String
    /// A day, a month or a year, as it was written.
    let birthDate: String?
    let country: String?
    let issuer: String?
    /// What happened to the holder.
    let event: HealthEvent
    /// When the certificate itself was issued, begins to be good, and ends.
    let issued, begins, expires: Moment?

    /// What codes of such certificates begin with.
    static let mark = "HC1:"

    /// The certificate of a code; nil for whatever is none. Time and memory are bounded, whoever wrote the code.
    init?(_ code: String) {
        guard code.hasPrefix(Self.mark), code.utf8.count <= 4 * Bounds.credential,
            let packed = Base45.decode(code.utf8.dropFirst(Self.mark.utf8.count)),
            let bytes = Zlib.inflate(packed), let cbor = CBOR(bytes), let message = SignedMessage(cbor)
        else { return nil }
        self.init(message)
    }

    /// The certificate in a signed message.
    init?(_ message: SignedMessage) {
        guard let claims = CBOR(message.payload), claims.hasTimes(Claim.times),
            let certificate = claims[Claim.health]?[1],
            certificate["ver"]?.text?.hasPrefix("1.") == true,
            let name = certificate["nam"], let holder = Self.name(name),
            let event = HealthEvent(certificate)
        else { return nil }
        (self.message, self.holder, self.event) = (message, holder, event)
        birthDate = certificate["dob"]?.bounded.flatMap { Self.isDate($0) ? $0 : nil }
        country = event.country ?? claims[Claim.issuer]?.bounded
        issuer = event.issuer
        issued = claims[Claim.issued]?.moment
        begins = claims[Claim.begins]?.moment
        expires = claims[Claim.expires]?.moment
    }

    /// The claims of a CWT (RFC 8392), and the one that the EU has for health.
    private enum Claim {
        static let issuer: Int64 = 1
        static let expires: Int64 = 4
        static let begins: Int64 = 5
        static let issued: Int64 = 6
        static let health: Int64 = -260
        static let times = [expires, begins, issued]
    }

    /// Whether it is four digits, and perhaps two more pairs. (A regular expression would be made anew for each certificate, which takes
    /// longer than all that is done here.)
    private static func isDate(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return [[4], [4, 2], [4, 2, 2]].contains(parts.map(\.count))
            && parts.joined().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// A person's name: as it is written, or else in the letters of passports.
    private static func name(_ name: CBOR) -> String? {
        let written = ["gn", "fn"].compactMap { name[$0]?.bounded ?? name[$0 + "t"]?.bounded }
        return written.isEmpty ? nil : written.joined(separator: " ")
    }
}

extension CBOR {
    /// A text of the length that the EU's schema allows, and some more.
    var bounded: String? {
        guard let text, text.utf8.count <= 400, let line = try? Texts.line(text, upTo: 100), !line.isEmpty else {
            return nil
        }
        return line
    }

    /// A time as CWT has it: seconds since the beginning of 1970, until the end of the year 9999.
    var moment: Moment? {
        let years: ClosedRange<Int64> = 0...253_402_300_799
        return switch untagged {
        case .integer(let seconds) where years.contains(seconds): Moment(milliseconds: seconds * 1000)
        case .number(let seconds) where (0...Double(years.upperBound)).contains(seconds):
            Moment(milliseconds: Int64(seconds * 1000))
        default: nil
        }
    }

    /// Whether these members are times, as far as it has them. One that is none would bound nothing.
    fileprivate func hasTimes(_ keys: [Int64]) -> Bool { keys.compactMap { self[$0] }.allSatisfy { $0.moment != nil } }

    /// A day, also one that is written with a time.
    var day: Day? { text.flatMap { $0.utf8.count <= 40 ? Day(String($0.prefix(10))) : nil } }
}

extension Day {
    /// When the day begins.
    var begin: Moment { Moment(milliseconds: number * 86_400_000) }

    /// The day so many days later.
    func after(_ days: Int) -> Day { Day(number: number + Int64(days)) }
}
