import API
import Domain
import HTTP
import People
import Services
import Places

/// What clients must know of this server before anybody signs in.
struct AboutRoom: Room {
    private let version: String
    private let verifies: Bool
    private let webPushKey: String?
    private let router, geocoder, weather: String?
    private let map: MapView
    private let hasRadars: Bool

    init(_ settings: Composition.Settings) {
        (version, verifies, webPushKey) = (settings.version, settings.verifies, settings.webPushKey)
        router = settings.services?.roads == nil ? nil : "osrm"
        (geocoder, weather) = (settings.geocoder?.name, settings.weather?.name)
        (map, hasRadars) = (settings.map.view, settings.radars)
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/about", for: .anyone, "What this server is and can do", room: "Status",
                answers: [.ok(Self.shape)], handler: about)
        ]
    }

    private static let channels: [StaticString] = ["push", "sms", "email"]
    private static let state = Shape.oneOf(["live", "silent"], named: "ChannelState")
    private static let shape = Shape.object(
        "About",
        [
            .init("version", .string()), .init("languages", .array(Language.shape)),
            .init("channels", .object(channels.map { .init("\($0)", state) })),
            .init("verification", .oneOf(["on", "off"])), .init("web_push_key", Shape.string().orNull),
            .init(
                "map",
                Shape.object(
                    "MapTiles",
                    [
                        .init("tiles", .string()), .init("attribution", Shape.string().orNull),
                        .init("min_zoom", .integer(0...24)), .init("max_zoom", .integer(0...24)),
                        .init("bounds", Shape.array(.number, least: 4, most: 4).orNull),
                    ]
                ).orNull),
            .init("radars", .oneOf(["on", "off"])),
        ] + ["router", "geocoder", "weather"].map { .init($0, Shape.string().orNull) })

    private func about(_ call: Call) async throws -> Response {
        var live = Set(try await call.run(LiveChannels()))
        if webPushKey != nil || live.contains("webpush") { live.insert("push") }
        var json = JSONWriter()
        json.object { json in
            json.field("version", version)
            json.array("languages", Language.known) { $0.item($1.rawValue) }
            json.object("channels") { json in
                for channel in Self.channels { json.field(channel, live.contains("\(channel)") ? "live" : "silent") }
            }
            json.field("verification", verifies ? "on" : "off")
            json.field("web_push_key", webPushKey)
            json.field("router", router)
            json.field("geocoder", geocoder)
            if let tiles = map.tiles {
                json.object("map") { json in
                    json.field("tiles", tiles)
                    json.field("attribution", map.attribution)
                    json.field("min_zoom", map.zooms.lowerBound)
                    json.field("max_zoom", map.zooms.upperBound)
                    json.raw("bounds", (map.bounds.map { .array($0.map(JSON.number)) } ?? JSON.null).bytes)
                }
            } else {
                json.field("map", String?.none)
            }
            json.field("weather", weather)
            json.field("radars", hasRadars ? "on" : "off")
        }
        return .json(json.bytes)
    }
}
