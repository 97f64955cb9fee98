/// The rules of what may be done, how often, and what it may cost. They stand here alone, and an operator changes them by
/// options.
public struct Trust: Sendable {
    /// How many SMS may be sent, and where to.
    public var sms = SMSRules()

    /// The usual rules.
    public init() {}

    /// Every rule in words, by its name. What `throttle` lifts is said to be off.
    public func shown(throttle: Double?) -> [(name: String, rule: String)] { sms.shown(isLifted: throttle == nil) }
}

/// How many SMS may be sent, and where to.
public struct SMSRules: Sendable {
    /// The countries that SMS go to, as ISO 3166 names them.
    public var countries = ["HR"]
    /// How many of a store a day, to one number a day, and of all in an hour.
    public var ofStore = 100
    /// What strangers cause to a number is counted apart from what its own account needs.
    public var toNumber = 5
    public var inAll = 1000

    /// The usual rules.
    public init() {}

    fileprivate func shown(isLifted: Bool) -> [(name: String, rule: String)] {
        func bound(_ text: String) -> String { isLifted ? "off" : text }
        return [
            ("sms.countries", countries.joined(separator: ",")),
            ("sms.numbers", CallingCodes.beginnings(of: countries).joined(separator: ",")),
            ("sms.never", CallingCodes.never(within: countries).joined(separator: ",")),
            ("sms.store", bound("\(ofStore) a day")),
            ("sms.number", bound("\(toNumber) a day for its own account, and \(toNumber) that others cause")),
            ("sms.all", bound("\(inAll) an hour")),
            ("sms.invites", bound("1 a number and day")),
        ]
    }
}
