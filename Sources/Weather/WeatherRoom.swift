import API
import Domain
import HTTP
import Postgres
import Services

/// The weather of a place, where the operator has named a source.
package struct WeatherRoom: Room {
    private let desk: WeatherDesk?

    package init(desk: WeatherDesk?) { self.desk = desk }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/weather", for: .signedIn,
                """
                The weather of a place: now, from this hour to the last of the eighth day, and by days, as clocks and calendars \
                are there. `stale` where the source does not answer: what it said last is told for six hours. An account may have the \
                source asked thirty times at once and then once a minute; what is known of a place is told beyond that, too
                """,
                room: "Weather",
                query: [
                    .init(name: "lat", shape: .number(-90...90), what: "Where: its latitude."),
                    .init(name: "lon", shape: .number(-180...180), what: "Its longitude."),
                    .init(name: "place", shape: .id, what: "Instead: a place that one keeps."),
                ], answers: [.ok(Self.shape)], refuses: [.weatherOff, .notFound, .unavailable()],
                throttledBy: { call in
                    [
                        Throttle.Bucket(
                            "weather of", call.caller.account.description, burst: 120, step: .milliseconds(500))
                    ]
                }, handler: tell)
        ]
    }

    private static let shape = Shape.object(
        "Weather",
        [
            .init(
                "place",
                .object(
                    "WeatherPlace",
                    [
                        .init("id", Shape.id.orNull), .init("name", Shape.string().orNull),
                        .init("location", Location.written), .init("time_zone", .string()),
                    ])),
            .init("fetched_at", .time), .init("stale", .boolean), .init("source", .string()),
            .init("current", WeatherView.hourShape.orNull), .init("hours", .array(WeatherView.hourShape)),
            .init("days", .array(WeatherView.dayShape, most: WeatherView.days)),
        ])

    private func tell(_ call: Call) async throws -> Response {
        guard let desk else { throw Problem.weatherOff }
        let asked = try await place(call)
        guard let kept = try await desk.weather(in: WeatherField(asked.location), for: call.caller.account) else {
            throw Problem.unavailable(retryAfterSeconds: 60)
        }
        var json = JSONWriter(capacity: 65_536)
        json.object { json in
            json.object("place") { json in
                json.field("id", asked.id)
                json.field("name", asked.name)
                json.field("location", asked.location)
                json.field("time_zone", kept.forecast.timeZone)
            }
            WeatherView(kept, in: call.caller.language).write(&json)
        }
        return .json(json.bytes)
    }

    private func place(_ call: Call) async throws -> (id: ID?, name: String?, location: Location) {
        if let text = call.request.query("place"), !text.isEmpty {
            guard let id = ID(text) else { throw Self.wrong(["place": "invalid_id"]) }
            let find = FindPlaceOf(account: call.caller.account, id: id)
            guard let place = try await call.run(find).first else { throw Problem.notFound }
            guard let location = place.location else { throw Self.wrong(["place": "no_location"]) }
            return (id, place.name, location)
        }
        var wrong: [String: String] = [:]
        func degrees(_ name: String, upTo most: Double) -> Double {
            guard let text = call.request.query(name), !text.isEmpty else {
                wrong[name] = "required"
                return 0
            }
            guard let angle = Location.plain(text), abs(angle) <= most else {
                wrong[name] = "invalid_location"
                return 0
            }
            return angle
        }
        let location = Location(lat: degrees("lat", upTo: 90), lon: degrees("lon", upTo: 180))
        guard wrong.isEmpty, let location else { throw Self.wrong(wrong) }
        return (nil, nil, location)
    }

    private static func wrong(_ fields: [String: String]) -> Problem {
        Problem(
            .unprocessable, "validation_failed",
            fields: fields.sorted { $0.key < $1.key }.map { Problem.WrongField($0.key, $0.value) })
    }
}

extension Problem {
    static let weatherOff = Problem(.notFound, "weather_off")
}

/// A place that an account keeps.
struct FindPlaceOf: Statement {
    static let sql = "SELECT name, lat, lon FROM places WHERE account_id = $1 AND id = $2"
    static let isReadOnly = true
    let account, id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> (name: String, location: Location?) {
        (try row.read(), try .read(&row))
    }
}
