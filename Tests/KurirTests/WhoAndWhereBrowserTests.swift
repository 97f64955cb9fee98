import Foundation
import TestSupport
import Testing

/// Who people are and where things are, in a browser beside those of ``BrowserTests``: each waits most of its time.
@Suite(.browser, .database) struct WhoAndWhereBrowserTests {
    @Test func `people can prove who they are`() async throws {
        try await Kurir.serving(
            "--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off", "KURIR_VERIFY": "on"]
        ) { kurir in
            _ = try await Browser.look(at: kurir, key: try await Browser.key(), ["identity"])
        }
    }

    @Test func `maps are drawn on a file of tiles`() async throws {
        let town = TemporaryDirectory.path("town") + ".mbtiles"
        try await Python.run("python3", [Python.root + "/Tests/Browser/town.py", town])
        try await Kurir.serving(
            "--database", TestDatabase.current.url, "--map", town, environment: ["KURIR_THROTTLE": "off"]
        ) { kurir in
            _ = try await Browser.look(at: kurir, key: try await Browser.key(), ["map"])
        }
    }

    @Test func `maps are drawn on another server's tiles`() async throws {
        try await FarAway.running { far in
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--map", far.url("tiles") + "/{z}/{x}/{y}.png",
                "--map-attribution",
                "© Susjedi", environment: ["KURIR_THROTTLE": "off"]
            ) { kurir in
                _ = try await Browser.look(at: kurir, ["tiles"])
            }
        }
    }

    /// Where a test has taken messages, somebody sends them.
    @Test func `addresses are completed, with a geocoder and without, and what nobody sends waits`() async throws {
        try await FarAway.running { far in
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--geocoder", "photon:" + far.url(),
                environment: ["KURIR_THROTTLE": "off"]
            ) { kurir in
                _ = try await Browser.look(
                    at: kurir, ["places", "waiting"], environment: ["KURIR_FAR_AWAY": "\(far.number) \(far.url())"])
            }
        }
    }

    @Test func `papers are scanned, kept, shared and wanted`() async throws {
        let (made, keys) = (TemporaryDirectory.path("certificates"), TemporaryDirectory.path("dcc-keys"))
        let now = "\(Date.now.timeIntervalSince1970)"
        try await Python.run("python3", [Python.root + "/Tests/Papers/certificates.py", now, made, keys])
        try await Kurir.serving(
            "--database", TestDatabase.current.url, "--dcc-keys", keys, environment: ["KURIR_THROTTLE": "off"]
        ) { kurir in
            _ = try await Browser.look(at: kurir, ["papers"], environment: ["KURIR_CERTIFICATES": made])
        }
    }

    @Test func `the road and the day are seen and told of`() async throws {
        try await FarAway.running { far in
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--weather", "open-meteo:" + far.url(),
                environment: ["KURIR_THROTTLE": "off"]
            ) { kurir in
                _ = try await Browser.look(at: kurir, ["road"], environment: ["KURIR_FAR_AWAY": "\(far.number)"])
            }
        }
    }
}
