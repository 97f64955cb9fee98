import TestSupport
import Testing

/// The pages in a real browser, by the tests in `Tests/Browser`; each screen's picture is kept in `.build/pictures`.
@Suite(.database) struct BrowserTests {
    @Test func peopleCanWorkWithThePages() async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off"]) {
            kurir in
            _ = try await Python.run(
                "pytest", ["--quiet", "--tb=short", "-p", "no:cacheprovider", Python.root + "/Tests/Browser"],
                environment: ["KURIR_ADDRESS": kurir.address, "KURIR_PICTURES": Python.root + "/.build/pictures"],
                seconds: 540)
        }
    }
}
