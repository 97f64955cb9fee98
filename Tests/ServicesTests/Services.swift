import EventLoop
import TestSupport

@testable import Services

/// The stand-ins, who asks them, and what is heard of that.
struct Services: Sendable {
    let far: FarAway
    let heard = Heard()
    private let lookups: Lookups
    private let isStopped = Locked(false)

    static func running(_ body: (Services) async throws -> Void) async throws {
        try await FarAway.running { far in
            let services = Services(far: far, lookups: try Lookups())
            do {
                try await body(services)
            } catch {
                try await services.stop()
                throw error
            }
            try await services.stop()
        }
    }

    private init(far: FarAway, lookups: Lookups) { (self.far, self.lookups) = (far, lookups) }

    /// A test may have stopped them already, and a thread is waited for once.
    func stop() async throws {
        if !isStopped.withLock({ wasStopped in (wasStopped, wasStopped = true).0 }) {
            try await blocking { lookups.stop() }
        }
    }

    /// Where something comes late it is waited for as long as Kurir does; else as long as a busy machine may take.
    func geocoder(_ kind: GeocoderPlace.Kind, _ way: String = "right", isHurried: Bool = false) -> Geocoder {
        Geocoder(kind, service("geocoder", way, kind.language.bounds, isHurried))
    }

    func roads(_ way: String = "right") -> Roads { Roads(service("router", way, Roads.bounds, false)) }

    func weather(_ way: String = "right") -> WeatherSource {
        WeatherSource(.openMeteo, service("weather", way, OpenMeteo.bounds, false))
    }

    private func service(
        _ name: String, _ way: String, _ usual: RemoteService.Bounds, _ isHurried: Bool
    ) -> RemoteService {
        var bounds = usual
        if !isHurried, !["slow", "endless"].contains(way) { (bounds.seconds, bounds.secondsBetween) = (60, 0) }
        return RemoteService(name, at: ServiceURL(far.url(way))!, bounds, through: lookups, as: "Kurir/test") {
            heard.note($0)
        }
    }
}

/// What was heard of services.
final class Heard: Sendable {
    private let events = Locked<[ServiceEvent]>([])

    func note(_ event: ServiceEvent) { events.withLock { $0.append(event) } }

    /// How often what became of questions.
    var counts: [String: Int] { all.reduce(into: [:]) { $0[text($1), default: 0] += 1 } }
    /// What was new.
    var news: [String] { all.filter(\.isNews).map(text) }

    private var all: [ServiceEvent] { events.withLock { $0 } }

    private func text(_ event: ServiceEvent) -> String {
        switch event.outcome {
        case .answered: "\(event.service) answered"
        case .refused: "\(event.service) refused"
        case .failed: "\(event.service) failed"
        }
    }
}
