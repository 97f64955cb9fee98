/// The services far away that an operator has named, and the thread that asks them.
public final class ServicesFarAway: Sendable {
    /// Completes addresses, if there is one.
    public let geocoder: Geocoder?
    /// Knows roads, if there is one.
    public let roads: Roads?
    /// Knows the weather, if there is one.
    public let weather: WeatherSource?
    private let lookups: Lookups?

    /// Which there are.
    public struct Settings: Sendable {
        /// Where addresses are looked for.
        public var geocoder: GeocoderPlace?
        /// Where roads are known.
        public var router: ServiceURL?
        /// Where the weather is known.
        public var weather: WeatherPlace?

        /// None.
        public init() {}
    }

    /// `agent` is what Kurir calls itself there. `heard` is told what becomes of each question, on another thread.
    public init(
        _ settings: Settings, as agent: String, heard: @escaping @Sendable (ServiceEvent) -> Void
    ) throws {
        guard settings.geocoder != nil || settings.router != nil || settings.weather != nil else {
            (geocoder, roads, weather, lookups) = (nil, nil, nil, nil)
            return
        }
        let lookups = try Lookups()
        func service(_ name: String, _ url: ServiceURL, _ bounds: RemoteService.Bounds) -> RemoteService {
            RemoteService(name, at: url, bounds, through: lookups, as: agent, heard: heard)
        }
        geocoder = settings.geocoder.map {
            Geocoder($0.kind, service("geocoder", $0.url, $0.kind.language.bounds))
        }
        roads = settings.router.map { Roads(service("router", $0, Roads.bounds)) }
        weather = settings.weather.map {
            WeatherSource($0.kind, service("weather", $0.url, $0.kind.language.bounds))
        }
        self.lookups = lookups
    }

    /// Gives up what is under way. It waits for the thread.
    public func stop() { lookups?.stop() }
}

/// A geocoder, and which one it is.
public struct GeocoderPlace: Sendable {
    /// The geocoders that Kurir can ask.
    public enum Kind: String, CaseIterable, Sendable {
        case photon, nominatim

        var language: any GeocoderLanguage.Type {
            switch self {
            case .photon: Photon.self
            case .nominatim: Nominatim.self
            }
        }
    }

    /// Which one it is.
    public let kind: Kind
    let url: ServiceURL

    /// Reads `photon:URL` or `nominatim:URL`; nil if it is something else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let url = ServiceURL(String(parts[1]))
        else { return nil }
        (self.kind, self.url) = (kind, url)
    }
}
