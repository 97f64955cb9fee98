/// The rules of what may be done, how often, and what it may cost. They stand here alone, and an operator changes them by
/// options.
public struct Trust: Sendable {
    /// How many SMS may be sent, and where to.
    public var sms = SMSRules()
    /// How much an account may do in an hour.
    public var rates = RateRules()
    /// Whether new stores wait until an operator approves them.
    public var storeApproval = false

    /// Whether couriers without a device are told of offers by SMS.
    public var offersBySMS = false

    /// The usual rules.
    public init() {}

    /// Every rule in words, by its name. What `throttle` lifts is said to be off.
    public func shown(throttle: Double?, verifies: Bool) -> [(name: String, rule: String)] {
        let tries = throttle.map { $0 == 1 ? "on" : "on, with \(Int($0)) times as many tries" } ?? "off"
        let stores = throttle.map {
            "\(Int((Double(Self.newStores) * $0).rounded())) an hour of an address, and of its network"
        }
        return sms.shown(isLifted: throttle == nil) + rates.shown(throttle: throttle) + [
            ("sms.offers", offersBySMS ? "1 in ten minutes to a courier without a device" : "off"),
            ("stores.approval", storeApproval ? "on" : "off"), ("stores.new", stores ?? "off"),
            ("positions", "\(Fix.most) a call of a courier, 1 a second to whoever watches"),
            ("devices", "\(Bounds.devices) an account"), ("throttle", tries),
            ("verification", verifies ? "on" : "off"),
        ]
    }

    /// How many new stores there may be in an hour, of an address and of each network that it is in.
    public static let newStores = 5
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

/// How much an account may do in an hour.
public struct RateRules: Sendable {
    /// What is counted.
    public enum Rule: String, CaseIterable, Sendable {
        /// Requests that change something.
        case writes
        /// New deliveries.
        case deliveries
        /// Devices that are told of a delivery.
        case told
        /// Bytes of pictures, in KiB.
        case files
    }

    public var deliveries = 600
    public var writes = 6000
    public var told = 20_000
    /// Sixty of the largest pictures.
    public var files = 60 * 5 * 1024

    /// The usual rules.
    public init() {}

    /// The bound for an account of that kind; nil where there is none.
    public func bound(_ rule: Rule, of kind: AccountKind) -> Int? {
        switch (rule, kind) {
        case (.writes, _): writes
        case (.files, _): files
        case (.deliveries, .store): deliveries
        case (.told, .store): told
        case (.deliveries, .courier), (.told, .courier): nil
        }
    }

    fileprivate func shown(throttle: Double?) -> [(name: String, rule: String)] {
        AccountKind.allCases.flatMap { kind in
            Rule.allCases.compactMap { rule in
                bound(rule, of: kind).map { bound in
                    let most = throttle.map { Int((Double(bound) * $0).rounded()) }
                    let unit = rule == .files ? " KiB" : ""
                    return ("\(kind.rawValue).\(rule.rawValue)", most.map { "\($0)\(unit) an hour" } ?? "off")
                }
            }
        }
    }
}
