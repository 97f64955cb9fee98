import Foundation
import TestSupport
import Testing

/// What the README shows really happens.
@Suite struct ReadmeTests {
    /// A command of the README and the output shown for it.
    struct Example {
        var command: String
        var output: [Substring] = []

        /// The command, until all events are there: they can be read a moment after what they tell of.
        var patiently: String {
            guard command.contains("/v1/events") else { return command }
            return """
                for time in $(seq 100); do
                said=$(\(command))
                [ "$(printf '%s\\n' "$said" | wc -l)" -ge \(output.count) ] && break; sleep 0.1; done; printf '%s\\n' "$said"
                """
        }
    }

    @Test func `the examples of the README are true`() async throws {
        let examples = try Self.examples().filter { !$0.command.hasPrefix("make ") && !$0.command.hasPrefix(".build/") }
        try #require(examples.count >= 8)
        let directory = TemporaryDirectory.path("readme")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // It has a cluster of its own, since transactions of other tests would hold the feed back.
        try await PrivateCluster.with { cluster in
            try await Kurir.serving("--database", cluster.url) { kurir in
                // All commands share a shell, since later ones use what earlier ones set.
                let script = examples.map { $0.patiently + "\necho; echo \(Self.mark)" }.joined(separator: "\n")
                let shell = try Program(
                    "sh",
                    ["-c", "cd '\(directory)'\n" + script.replacing("http://127.0.0.1:8080", with: kurir.address)])
                try await shell.end()
                let said = shell.said.components(separatedBy: Self.mark)
                try #require(said.count == examples.count + 1)
                for (example, said) in zip(examples, said) {
                    let lines = said.replacing(kurir.address, with: "http://127.0.0.1:8080").split(separator: "\n")
                    #expect(lines.map(Self.steady) == example.output.map(Self.steady), "\(example.command)")
                }
            }
        }
    }

    private static let mark = "-- that was it --"

    /// The line without the parts that differ between runs: ids, times, tokens and codes.
    private static func steady(_ line: Substring) -> String {
        var line = String(line)
        for (pattern, word) in [
            ("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID"), ("[0-9-]{10}T[0-9:.]{12}Z", "TIME"),
            ("\"token\":\"[A-Za-z0-9_-]{43}\"", "TOKEN"), ("[0-9A-Z]{5}-[0-9A-Z]{5}", "CODE"),
        ] {
            line = line.replacingOccurrences(of: pattern, with: word, options: .regularExpression)
        }
        return line
    }

    private static func examples() throws -> [Example] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```console\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        return blocks.flatMap { block in
            block.split(separator: "\n").reduce(into: [Example]()) { examples, line in
                if line.hasPrefix("$ ") {
                    examples.append(Example(command: String(line.dropFirst(2))))
                } else if line.hasPrefix("    "), !examples.isEmpty {
                    examples[examples.count - 1].command += "\n" + line
                } else if !examples.isEmpty {
                    examples[examples.count - 1].output.append(line)
                }
            }
        }
    }
}
