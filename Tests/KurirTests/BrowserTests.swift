import Foundation
import TestSupport
import Testing

/// The pages in a real browser, by the tests in `Tests/Browser`; each screen's picture is kept in `.build/pictures`.
@Suite(.browser, .database) struct BrowserTests {
    @Test(arguments: [["story", "pages", "connection"], ["courier", "handing"]])
    func `people can work with the pages`(_ tests: [String]) async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off"]) {
            kurir in
            _ = try await Browser.look(at: kurir, key: try await Browser.key(), tests)
        }
    }

    @Test func `a courier whose page is closed accepts on the notification`() async throws {
        try await Receivers.running { receivers in
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--push-hosts", "127.0.0.1", "--ca", try trusted(receivers),
                environment: ["KURIR_THROTTLE": "off"]
            ) { kurir in
                print(try await Browser.look(at: kurir, ["pushed"], environment: try device(of: receivers)))
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
                try await Browser.look(at: kurir, ["demo"], environment: try device(of: receivers))
            }
        }
    }
}
