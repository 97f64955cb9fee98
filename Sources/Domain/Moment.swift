/// A moment, as clients write it.
public struct Moment: Comparable, Hashable, Sendable {
    /// Milliseconds since the beginning of 1970, UTC.
    public let milliseconds: Int64

    /// So many milliseconds after the beginning of 1970, UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Reads a time by RFC 3339; what is finer than a millisecond is left out.
    public init(_ text: String) throws(InvalidValue) {
        let form =
            #/([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))/#
        guard let parts = text.wholeMatch(of: form)?.output, let day = Day(String(parts.1)),
            let hour = Int64(parts.2), hour < 24, let minute = Int64(parts.3), minute < 60,
            let second = Int64(parts.4), second < 60
        else { throw InvalidValue("invalid_time") }
        let fraction = (parts.5.map(String.init) ?? "") + "000"
        var seconds = day.number * 86_400 + hour * 3600 + minute * 60 + second
        if let sign = parts.6, let hours = parts.7.flatMap({ Int64($0) }), let minutes = parts.8.flatMap({ Int64($0) })
        {
            guard hours < 24, minutes < 60 else { throw InvalidValue("invalid_time") }
            seconds -= (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
        }
        milliseconds = seconds * 1000 + (Int64(fraction.prefix(3)) ?? 0)
    }

    /// How far ahead people plan.
    private static let farthest: Int64 = 30 * 86_400_000

    /// Why nobody who speaks now can mean it as a time to come; nil when it can be meant.
    public func fault(now: Moment) -> String? {
        self <= now ? "time_is_past" : isTooFarAhead(of: now) ? "too_far_ahead" : nil
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
