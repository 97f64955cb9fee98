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

    func geocoder(_ kind: GeocoderPlace.Kind, _ way: String = "right", _ patience: Patience? = nil) -> Geocoder {
        Geocoder(kind, service("geocoder", way, kind.language.bounds, patience))
    }

    func roads(_ way: String = "right", _ patience: Patience? = nil) -> Roads {
        Roads(service("router", way, Roads.bounds, patience))
    }

    func weather(_ way: String = "right") -> WeatherSource {
        WeatherSource(.openMeteo, service("weather", way, OpenMeteo.bounds, nil))
    }

    /// How long an answer is waited for.
    enum Patience {
        /// As Kurir does.
        case usual
        /// Until it is clear that none comes, though this machine is busy.
        case short
        /// As long as a busy machine may take.
        case long
    }

    private func service(
        _ name: String, _ way: String, _ usual: RemoteService.Bounds, _ patience: Patience?
    ) -> RemoteService {
        var bounds = usual
        switch patience ?? (["slow", "endless"].contains(way) ? .short : .long) {
        case .usual: break
        case .short: bounds.seconds = 5
        case .long: (bounds.seconds, bounds.secondsBetween) = (60, 0)
        }
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
