import API
import Deliveries
import Domain
import HTTP
import Postgres

/// What the weather will be where a delivery goes, when it is due. Nobody waits for it: it is told as it is known.
package struct DeliveryWeather: Surroundings {
    private let desk: WeatherDesk

    package init(desk: WeatherDesk) { self.desk = desk }

    package let name: StaticString = "weather"
    package var shape: Shape { WeatherView.hourShape.orNull }

    package func expect(_ place: Location, due: Timestamp?) {
        if Self.foreseen(due) != nil { desk.expect(WeatherField(place)) }
    }

    package func written(for visit: Visit) async throws -> [UInt8]? {
        guard let due = Self.foreseen(visit.due) else { return nil }
        let known = try await desk.known(in: WeatherField(visit.place))
        guard let view = known.map({ WeatherView($0, in: visit.call.caller.language) }),
            let hour = view.hour(of: Int(due.microseconds / 1_000_000))
        else { return Array("null".utf8) }
        var json = JSONWriter()
        json.object { view.write(hour, &$0) }
        return json.bytes
    }

    /// When it is due, if that is within what sources foresee. Weather that is over concerns nobody.
    private static func foreseen(_ due: Timestamp?) -> Timestamp? {
        guard let due else { return nil }
        let ahead = due.microseconds - Timestamp.now.microseconds
        return (-3_600_000_000...Int64(WeatherView.days) * 86_400_000_000).contains(ahead) ? due : nil
    }
}
