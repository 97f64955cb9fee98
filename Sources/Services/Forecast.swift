import Domain

/// What a source says of the weather at a place, from the day before to some days ahead.
public struct Forecast: Equatable, Sendable {
    /// The name of the place's time zone.
    public let timeZone: String
    /// What it is like when the source was asked, where it says so.
    public let current: Reading?
    /// Hour by hour.
    public let hours: [Hour]
    /// What it says of whole days, as they are counted there.
    public let days: [Int64: DayRange]

    /// An hour and its weather.
    public struct Hour: Equatable, Sendable {
        /// When it begins, in seconds since 1970.
        public let at: Int
        /// What it is like.
        public let weather: Reading
    }

    /// How warm and cold a day gets, and its weather as a whole.
    public struct DayRange: Equatable, Sendable {
        public let high, low: Double?
        public let code: Int?

        /// The range of a day.
        public init(high: Double?, low: Double?, code: Int?) { (self.high, self.low, self.code) = (high, low, code) }
    }

    /// A forecast.
    public init(timeZone: String, current: Reading?, hours: [Hour], days: [Int64: DayRange]) {
        (self.timeZone, self.current, self.hours, self.days) = (timeZone, current, hours, days)
    }

    /// Whether one of its hours is that of a time. The weather of other times is that of a source whose clock has stopped.
    func tells(of moment: Moment) -> Bool {
        guard let first = hours.first, let last = hours.last else { return false }
        let seconds = moment.milliseconds / 1000
        return first.at <= seconds && seconds < last.at + 3600
    }
}

extension Forecast.Hour {
    /// An hour.
    public init(_ at: Int, _ weather: Reading) { (self.at, self.weather) = (at, weather) }
}

/// The weather at one time. What a source does not say is nil.
public struct Reading: Equatable, Sendable {
    public var temperature: Double?
    /// How likely it is that something falls, in percent; and how many millimetres do.
    public var chance, amount: Double?
    /// In percent.
    public var humidity: Double?
    /// In kilometres an hour.
    public var wind: Double?
    /// What it is, by the code of the World Meteorological Organization (table 4677, as far as forecasts use it).
    public var code: Int?

    /// The weather.
    public init(
        temperature: Double? = nil, chance: Double? = nil, amount: Double? = nil, humidity: Double? = nil,
        wind: Double? = nil, code: Int? = nil
    ) {
        (self.temperature, self.chance, self.amount) = (temperature, chance, amount)
        (self.humidity, self.wind, self.code) = (humidity, wind, code)
    }

    /// The same with what another knows in place of what this one does not.
    public func completed(by other: Reading?) -> Reading {
        Reading(
            temperature: temperature ?? other?.temperature, chance: chance ?? other?.chance,
            amount: amount ?? other?.amount, humidity: humidity ?? other?.humidity, wind: wind ?? other?.wind,
            code: code ?? other?.code)
    }
}
