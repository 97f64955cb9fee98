import Foundation
import TestSupport
import Testing

/// The picture of the targets' dependencies follows the manifest. `KURIR_WRITE_DOCS=1 swift test --filter
/// ArrowsPictureTests` draws it again.
@Suite struct ArrowsPictureTests {
    @Test func `the picture in the docs shows what the manifest says`() throws {
        #expect(try Drawn("architecture.md", from: "the manifest").shows(picture(try arrows())))
    }

    @Test func `the table of modules names what the manifest names`() throws {
        let arrows = try arrows()
        let page = try String(contentsOf: Self.root.appending(path: "docs/architecture.md"), encoding: .utf8)
        var told: [String: Set<String>] = [:]
        for row in page.matches(of: #/(?m)^\| ((?:`\w+`(?:, )?)+)[^|]*\|[^|]*\| ([^|\n]+) \|$/#) {
            let touched = Set(row.2.matches(of: #/\w+/#).map { String($0.0) }).intersection(arrows.keys)
            for name in row.1.matches(of: #/\w+/#) { told[String(name.0)] = touched }
        }
        for (target, direct) in arrows {
            let nearest = direct.filter { other in !direct.contains { reaches($0, other, arrows) } }
            #expect(told[target] == nearest, "\(target) touches \(nearest.sorted())")
        }
    }

    /// The compiler finds every module that was built, so that it would not notice.
    @Test func `every target imports what the manifest names, and nothing else`() throws {
        let arrows = try arrows()
        for (target, named) in arrows where target != "Schema" {
            let folder = Self.root.appending(path: "Sources/\(target)")
            let files =
                FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
            var imported: Set<String> = []
            for file in files {
                let text = try String(contentsOf: file, encoding: .utf8)
                imported.formUnion(text.matches(of: #/(?m)^import (\w+)/#).map { String($0.1) })
            }
            imported.formIntersection(arrows.keys)
            #expect(imported == named, "\(target): \(imported.symmetricDifference(named))")
        }
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    /// The dependencies of each target of ours.
    private func arrows() throws -> [String: Set<String>] {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        var arrows: [String: Set<String>] = [:]
        for part in manifest.components(separatedBy: "arget(").dropFirst() {
            guard let name = part.firstMatch(of: #/name: "(\w+)"/#)?.1, !part.contains("path: \"Tests/"),
                !name.hasSuffix("Tests"), name != "embed"
            else { continue }
            let list = part.firstMatch(of: #/dependencies: \[([^\]]*)\]/#).map { String($0.1) } ?? ""
            arrows[String(name)] = Set(list.matches(of: #/"(\w+)"/#).map { String($0.1) })
        }
        let ours = Set(arrows.keys)
        return arrows.mapValues { $0.intersection(ours) }
    }

    /// The arrows that do not follow from others.
    private func picture(_ arrows: [String: Set<String>]) -> String {
        var lines = ["```mermaid", "flowchart TD"]
        for (target, direct) in arrows.sorted(by: { $0.key < $1.key }) {
            for other in direct.sorted() where !direct.contains(where: { reaches($0, other, arrows) }) {
                lines.append("    \(target) --> \(other)")
            }
        }
        return (lines + ["```", ""]).joined(separator: "\n")
    }

    private func reaches(_ target: String, _ other: String, _ arrows: [String: Set<String>]) -> Bool {
        arrows[target, default: []].contains { $0 == other || reaches($0, other, arrows) }
    }
}
