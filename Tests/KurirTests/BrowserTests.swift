import TestSupport
import Testing

/// The pages in a real browser, by the tests in `Tests/Browser`; each screen's picture is kept in `.build/pictures`.
@Suite(.database, .serialized) struct BrowserTests {
    @Test func peopleCanWorkWithThePages() async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off"]) {
            kurir in
            try await look(at: kurir, "test_story.py", "test_pages.py")
        }
    }

    @Test func aDemoIsThereToBeLookedAt() async throws {
        try await Kurir.serving("--demo", environment: ["KURIR_THROTTLE": "off"]) { kurir in
            try await eventually(within: .seconds(200)) { kurir.program.said.contains("courier  ") }
            try await look(at: kurir, "test_demo.py")
        }
    }

    private func look(at kurir: Kurir, _ tests: String...) async throws {
        let directory = Python.root + "/Tests/Browser/"
        try await Python.run(
            "pytest", ["--quiet", "--tb=short", "-p", "no:cacheprovider"] + tests.map { directory + $0 },
            environment: ["KURIR_ADDRESS": kurir.address, "KURIR_PICTURES": Python.root + "/.build/pictures"],
            seconds: 540)
    }
}
