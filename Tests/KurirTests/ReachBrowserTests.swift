import TestSupport
import Testing

/// How people are led and reached, in a browser beside those of ``BrowserTests``.
@Suite(.browser, .database) struct ReachBrowserTests {
    @Test func `people are led, reached, and told where things are`() async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off"]) {
            kurir in
            _ = try await Browser.look(
                at: kurir, key: try await Browser.key(), "start", "reach", "board", "tracking", "messages", "day")
        }
    }
}
