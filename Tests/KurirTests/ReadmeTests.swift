import Foundation
import TestSupport
import Testing

/// What the README shows is what happens.
@Suite struct ReadmeTests {
    /// A command of the README and what it is said to print.
    struct Example {
        var command: String
        var output: [Substring] = []
    }

    @Test(.database) func itsExamplesAreTrue() async throws {
        let examples = try Self.examples().filter { $0.command.hasPrefix("curl ") }
        try #require(examples.count >= 2)
        try await Kurir.serving("--database", TestDatabase.current.url) { kurir in
            for example in examples {
                let command = example.command.replacing("http://127.0.0.1:8080", with: kurir.address)
                let shell = try Program("sh", ["-c", command.replacing("curl ", with: "curl -s ")])
                try await shell.end()
                #expect(shell.said.split(separator: "\n") == example.output, "\(example.command)")
            }
        }
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
                } else if !examples.isEmpty {
                    examples[examples.count - 1].output.append(line)
                }
            }
        }
    }
}
