/// A moment, as clients write it.
public struct Moment: Comparable, Hashable, Sendable {
    /// Milliseconds since the beginning of 1970, UTC.
    public let milliseconds: Int64

    /// So many milliseconds after the beginning of 1970, UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Reads a time by RFC 3339; what is finer than a millisecond is left out.
    ///
    /// It does without a regular expression, which would be made anew each time: phones send a hundred times in one call.
    public init(_ text: String) throws(InvalidValue) {
        guard let milliseconds = Self.milliseconds(Array(text.utf8)) else { throw InvalidValue("invalid_time") }
        self.milliseconds = milliseconds
    }

    private static func milliseconds(_ text: [UInt8]) -> Int64? {
        // As in 2026-11-20T12:00:00; perhaps a fraction follows, and then how far from Greenwich.
        guard (20...35).contains(text.count), "Tt ".utf8.contains(text[10]), text[13] == colon, text[16] == colon,
            let day = Day(String(decoding: text[..<10], as: UTF8.self)), let hour = number(text[11..<13], below: 24),
            let minute = number(text[14..<16], below: 60), let second = number(text[17..<19], below: 60)
        else { return nil }
        var (rest, fraction) = (text[19...], ArraySlice<UInt8>())
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix { isDigit($0) }
            guard (1...9).contains(fraction.count) else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard let thousandths = number((fraction + "000".utf8).prefix(3), below: 1000), let east = secondsEast(rest)
        else { return nil }
        return (day.number * 86_400 + hour * 3600 + minute * 60 + second - east) * 1000 + thousandths
    }

    private static func secondsEast(_ text: ArraySlice<UInt8>) -> Int64? {
        let text = Array(text)
        if text == Array("Z".utf8) || text == Array("z".utf8) { return 0 }
        guard text.count == 6, "+-".utf8.contains(text[0]), text[3] == colon,
            let hours = number(text[1..<3], below: 24), let minutes = number(text[4..<6], below: 60)
        else { return nil }
        return (text[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static let colon = UInt8(ascii: ":")

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ digits: ArraySlice<UInt8>, below bound: Int64) -> Int64? {
        guard digits.allSatisfy({ isDigit($0) }) else { return nil }
        let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 & 15) }
        return number < bound ? number : nil
    }

    /// How far ahead people plan.
    private static let farthest: Int64 = 30 * 86_400_000

    /// The code of a time that is over.
    public static let isPast = "time_is_past"

    /// Why nobody who speaks now can mean it as a time to come; nil when it can be meant.
    public func fault(now: Moment) -> String? {
        self <= now ? Self.isPast : isTooFarAhead(of: now) ? "too_far_ahead" : nil
    }

    /// Whether it is further ahead than people plan.
    func isTooFarAhead(of now: Moment) -> Bool { milliseconds - now.milliseconds > Self.farthest }

    /// Earlier comes first.
    public static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }
}

/// When a delivery is to arrive.
public struct DeliveryWindow: Equatable, Sendable {
    /// Not before then.
    public let from: Moment?
    /// At the latest then.
    public let until: Moment?

    /// A window as it was kept; nil when it has neither beginning nor end.
    public init?(from: Moment?, until: Moment?) {
        guard from != nil || until != nil else { return nil }
        (self.from, self.until) = (from, until)
    }

    /// Why it cannot be meant by somebody who says it now, and of which of its two times; nil when it can.
    public func fault(now: Moment) -> (field: String, code: String)? {
        if let fault = until?.fault(now: now) { return ("until", fault) }
        if let from, let until, until <= from { return ("until", "ends_before_it_begins") }
        if let from, from.isTooFarAhead(of: now) { return ("from", "too_far_ahead") }
        return nil
    }
}
