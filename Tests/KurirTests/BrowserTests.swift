import Foundation
import TestSupport
import Testing

/// The pages in a real browser, by the tests in `Tests/Browser`; each screen's picture is kept in `.build/pictures`.
@Suite(.database, .serialized) struct BrowserTests {
    @Test func `people can work with the pages`() async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off"]) {
            kurir in
            try await look(at: kurir, key: try await key(), "story", "pages", "connection", "courier", "handing")
            try await look(at: kurir, key: try await key(), "start", "reach", "board", "tracking", "messages", "day")
        }
    }

    @Test func `maps are drawn on a file of tiles`() async throws {
        let town = TemporaryDirectory.path("town") + ".mbtiles"
        try await Python.run("python3", [Python.root + "/Tests/Browser/town.py", town])
        try await Kurir.serving(
            "--database", TestDatabase.current.url, "--map", town, environment: ["KURIR_THROTTLE": "off"]
        ) { kurir in
            _ = try await look(at: kurir, key: try await key(), "map")
        }
    }

    @Test func `maps are drawn on another server's tiles`() async throws {
        try await FarAway.running { far in
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--map", far.url("tiles") + "/{z}/{x}/{y}.png",
                "--map-attribution",
                "© Susjedi", environment: ["KURIR_THROTTLE": "off"]
            ) { kurir in
                _ = try await look(at: kurir, "tiles")
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
                _ = try await look(
                    at: kurir, "places", "waiting", environment: ["KURIR_FAR_AWAY": "\(far.number) \(far.url())"])
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
            _ = try await look(at: kurir, "papers", environment: ["KURIR_CERTIFICATES": made])
        }
    }

    @Test func `the road and the day are seen and told of`() async throws {
        try await FarAway.running { far in
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--weather", "open-meteo:" + far.url(),
                environment: ["KURIR_THROTTLE": "off"]
            ) { kurir in
                _ = try await look(at: kurir, "road", environment: ["KURIR_FAR_AWAY": "\(far.number)"])
            }
        }
    }

    @Test func `people can prove who they are`() async throws {
        try await Kurir.serving(
            "--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off", "KURIR_VERIFY": "on"]
        ) { kurir in
            _ = try await look(at: kurir, key: try await key(), "identity")
        }
    }

    @Test func `a courier whose page is closed accepts on the notification`() async throws {
        try await Receivers.running { receivers in
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--push-hosts", "127.0.0.1", "--ca", try trusted(receivers),
                environment: ["KURIR_THROTTLE": "off"]
            ) { kurir in
                print(try await look(at: kurir, "pushed", environment: try device(of: receivers)))
            }
        }
    }

    /// The file of the certificate by which receivers are known.
    private func trusted(_ receivers: Receivers) throws -> String {
        let file = TemporaryDirectory.path("push-ca.pem")
        try receivers.told("ca").write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// Where what is pushed arrives, and the device of a browser there.
    private func device(of receivers: Receivers) throws -> [String: String] {
        let (endpoint, point, auth) = try (
            receivers.told("webpush") + "/ana", receivers.told("p256dh"), receivers.told("auth")
        )
        return [
            "KURIR_RECEIVERS": try receivers.told("http"),
            "KURIR_DEVICE": #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"\#(point)","auth":"\#(auth)"}}"#,
        ]
    }

    private func key() async throws -> String {
        let made = try await Kurir.run(
            "gateway-key", "create", "--name", "pages", "--channel", "sms,push,email", "--database",
            TestDatabase.current.url)
        return String(made.said.prefix { !$0.isNewline })
    }

    @Test func `a demo is there to be looked at`() async throws {
        try await Receivers.running { receivers in
            try await Kurir.serving(
                "--demo", "--push-hosts", "127.0.0.1", "--ca", try trusted(receivers),
                environment: ["KURIR_THROTTLE": "off"]
            ) { kurir in
                // Whoever opens the address that was just printed finds weeks of work.
                let login = #"{"email":"pekara@example.com","password":"kurir vozi svaki dan"}"#
                let session = try await kurir.send("POST", "/v1/sessions", login).body
                let token = try #require(session.firstMatch(of: /"token":"([^"]+)"/))
                let first = try await kurir.send("GET", "/v1/deliveries?status=delivered", as: String(token.1)).body
                #expect(first.matches(of: /"delivered_at":"/).count == 50)
                try await eventually(within: .seconds(1000)) { kurir.program.said.contains("courier  ") }
                try await look(at: kurir, "demo", environment: try device(of: receivers))
            }
        }
    }

    @discardableResult private func look(
        at kurir: Kurir, key: String = "", _ tests: String..., environment: [String: String] = [:]
    ) async throws -> String {
        let said = try await Python.run(
            "pytest",
            ["--quiet", "--tb=short", "-p", "no:cacheprovider"]
                + tests.map { Python.root + "/Tests/Browser/test_\($0).py" },
            environment: [
                "KURIR_ADDRESS": kurir.address, "KURIR_PICTURES": Python.root + "/.build/pictures",
                "KURIR_GATEWAY_KEY": key,
            ].merging(environment) { $1 })
        // A test that passed only the second time may have met a page that lost a race.
        if said.contains("is run again") { print(said) }
        return said
    }
}
