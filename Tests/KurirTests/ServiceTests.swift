import TestSupport
import Testing

/// What operators see of services far away.
@Suite(.database) struct ServiceTests {
    @Test func `a service that fails is told of once, and each question is counted`() async throws {
        try await FarAway.running { far in
            let team = try await Team.make()
            try await Kurir.serving(
                "--database", TestDatabase.current.url, "--geocoder", "nominatim:" + far.url("right"),
                environment: ["KURIR_THROTTLE": "off", "KURIR_ROUTER": far.url("right")]
            ) { kurir in
                #expect(try await kurir.get("/v1/about").body.contains(#""router":"osrm","geocoder":"nominatim""#))
                func search(_ text: String) async throws -> String {
                    try await kurir.get(
                        "/v1/places/search?q=\(text)", "-H", "Authorization: Bearer \(team.store)"
                    ).body
                }
                func counted(_ outcome: String, _ count: Int) async throws {
                    let line = "kurir_service_questions_total{service=\"geocoder\",outcome=\"\(outcome)\"} \(count)\n"
                    try await eventually { try await kurir.figures().contains(line) }
                }
                let told = { kurir.program.complained.matches(of: /service name=geocoder/).count }
                try await far.toggle()
                for text in ["ilica", "savska", "trg"] {
                    #expect(try await search(text).contains(#""geocoder":"unavailable""#))
                }
                try await eventually { told() == 1 }
                try await counted("failed", 3)
                try await far.toggle()
                #expect(try await search("zrtava").contains(#""geocoder":null"#))
                try await counted("answered", 1)
                try await eventually { kurir.program.complained.contains("it answers again") }
                #expect(told() == 2)
                // It was asked in Kurir's name, and nobody was asked for its own places.
                #expect(far.asked.count == 1 && far.asked[0].contains(#""agent": "Kurir/"#))
            }
        }
    }
}
