import TestSupport
import Testing

/// How people are led and reached, and how a shop's day goes, in browsers beside those of ``BrowserTests``.
@Suite(.browser, .database) struct ReachBrowserTests {
    /// Not all one after the other: that would be what everybody waits for at the end.
    @Test(arguments: [["start", "reach", "messages"], ["board", "tracking", "day"]])
    func `people are led, reached, and told where things are`(_ tests: [String]) async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off"]) {
            kurir in
            _ = try await Browser.look(at: kurir, key: try await Browser.key(), tests)
        }
    }
}
