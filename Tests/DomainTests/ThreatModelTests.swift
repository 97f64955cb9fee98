import Foundation
import Testing

/// Each line of the threat model names tests, and these exist.
@Suite struct ThreatModelTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    private func lines() throws -> [[String]] {
        try String(contentsOf: Self.root.appending(path: "docs/threat-model.md"), encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { line in line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            .filter { !["threat", "---"].contains($0[0]) }
    }

    /// The sentences of each suite.
    private func suites() throws -> [String: Set<String>] {
        var suites: [String: Set<String>] = [:]
        let tests = FileManager.default.enumerator(
            at: Self.root.appending(path: "Tests"), includingPropertiesForKeys: nil)
        for case let file as URL in try #require(tests) where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard let suite = text.firstMatch(of: #/struct (\w+Tests)\b/#) else { continue }
            suites[String(suite.1), default: []].formUnion(text.matches(of: #/func `([^`]+)`/#).map { String($0.1) })
        }
        return suites
    }

    @Test func `each defence names a test that there is`() throws {
        let (lines, suites) = (try lines(), try suites())
        #expect(lines.count > 40)
        for line in lines {
            try #require(line.count == 3, "\(line)")
            var suite = ""
            for part in line[2].split(separator: "; ") {
                if let named = part.firstMatch(of: #/^`(\w+)`/#) { suite = String(named.1) }
                let known = try #require(suites[suite], "\(part)")
                let sentence = part.replacing(#/^`\w+`(: )?/#, with: "")
                #expect(sentence == ", all" || known.contains(String(sentence)), "\(suite) has no test: \(sentence)")
            }
        }
    }

    @Test func `each of the ten risks of OWASP is met`() throws {
        let named = try lines().flatMap { $0[0].matches(of: #/API([0-9]+)/#).compactMap { Int($0.1) } }
        #expect(Set(named) == Set(1...10))
    }
}
