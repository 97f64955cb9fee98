import Domain
import HTTP

/// How one speaks with a source of the weather.
protocol WeatherLanguage: Sendable {
    /// How much its operators let be asked.
    static var bounds: RemoteService.Bounds { get }
    /// Where it is if nobody says otherwise.
    static var usualURL: String { get }
    /// The path and query of the question for a place.
    static func path(at place: Location) -> String
    /// What an answer says; an error if it says nothing of the kind, or what cannot be true.
    static func forecast(in answer: JSON, at place: Location) throws -> Forecast
}

/// Knows the weather. It keeps nothing: who asks decides how often.
public struct WeatherSource: Sendable {
    /// Which one it is.
    public let name: String
    private let tells: @Sendable (_ place: Location, _ now: Moment) async -> Forecast?

    /// A source by that name, which tells what `tells` gives.
    public init(_ name: String, _ tells: @escaping @Sendable (_ place: Location, _ now: Moment) async -> Forecast?) {
        (self.name, self.tells) = (name, tells)
    }

    /// One far away.
    init(_ kind: WeatherPlace.Kind, _ service: RemoteService) {
        let speaks = kind.language
        self.init(kind.rawValue) { place, now in
            await service.ask(speaks.path(at: place)) { answer in
                let forecast = try speaks.forecast(in: answer, at: place)
                guard forecast.tells(of: now) else { throw NotUnderstood() }
                return forecast
            }
        }
    }

    /// What the weather is now and will be at a place; nil if the source does not say so within three seconds.
    public func forecast(at place: Location, now: Moment) async -> Forecast? { await tells(place, now) }
}

/// A source of the weather, and which one it is.
public struct WeatherPlace: Sendable {
    /// The sources that Kurir can ask.
    public enum Kind: String, CaseIterable, Sendable {
        case openMeteo = "open-meteo"

        var language: any WeatherLanguage.Type {
            switch self {
            case .openMeteo: OpenMeteo.self
            }
        }
    }

    /// Which one it is.
    public let kind: Kind
    let url: ServiceURL

    /// Reads `open-meteo` or `open-meteo:URL`; nil if it is something else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard let kind = parts.first.flatMap(Kind.init(rawValue:)), text.last != ":",
            let url = ServiceURL(parts.count == 2 ? parts[1] : kind.language.usualURL)
        else { return nil }
        (self.kind, self.url) = (kind, url)
    }
}
