import Foundation
import TestSupport
import Testing

/// How the tests in `Tests/Browser` are run: the journeys through the pages, and with `KURIR_TEST_PAGES` all else, too, which takes
/// the better part of an hour.
enum Browser {
    private static let chosen =
        ProcessInfo.processInfo.environment["KURIR_TEST_PAGES"] == nil ? ["-m", "journey"] : []

    @discardableResult static func look(
        at kurir: Kurir, key: String = "", _ tests: [String], environment: [String: String] = [:]
    ) async throws -> String {
        let said = try await Python.run(
            "pytest",
            ["--quiet", "--tb=short", "-p", "no:cacheprovider"] + chosen
                + tests.map { Python.root + "/Tests/Browser/test_\($0).py" },
            environment: [
                "KURIR_ADDRESS": kurir.address, "KURIR_PICTURES": Python.root + "/.build/pictures",
                "KURIR_GATEWAY_KEY": key,
            ].merging(environment) { $1 })
        // A test that passed only the second time may have met a page that lost a race, or a server in trouble.
        if said.contains("is run again") { print(said, kurir.troubles, separator: "\n") }
        return said
    }

    /// A key to all channels.
    static func key() async throws -> String {
        let made = try await Kurir.run(
            "gateway-key", "create", "--name", "pages", "--channel", "sms,push,email", "--database",
            TestDatabase.current.url)
        return String(made.said.prefix { !$0.isNewline })
    }
}

/// Lets three browsers look at once, since more of them starve each other. The tests stand in line together: what comes one after the
/// other gets a place among all other tests only when those have had theirs.
struct BrowserTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    private static let turnstile = Turnstile(3)

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.turnstile.pass(function)
    }
}

extension Trait where Self == BrowserTrait {
    /// Each test of a suite has a browser.
    static var browser: Self { BrowserTrait() }
}
