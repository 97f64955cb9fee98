import Foundation
import TestSupport
import Testing

/// Readers of strangers' bytes, tried with damaged examples. `make fuzz` has libFuzzer look for more.
@Suite struct FuzzTests {
    private static let tries = 5000

    @Test(arguments: Property.all)
    func `what must hold of a reader holds for every example, and for what chance makes of them`(
        _ property: Property
    ) throws {
        let examples = try Self.examples(of: property)
        for (name, bytes) in examples {
            #expect(throws: Never.self, "\(property.name)/\(name)") { try property.check(bytes) }
        }
        // The same each time, so that nobody is stopped by another's fault.
        var mutation = Mutation(of: examples.map(\.bytes), seed: Seed.forThisRun(unless: 1))
        print("\(property.name): \(mutation.seed)")
        for _ in 0..<Self.tries {
            let bytes = mutation.next()
            do {
                try property.check(bytes)
            } catch {
                Issue.record(
                    "\(property.name), \(mutation.seed): \(error), for \(bytes.text.debugDescription) \(bytes)")
                return
            }
        }
    }

    @Test func `every folder of examples belongs to a property`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(folders) == Set(Property.all.map(\.name)))
    }

    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../corpus")
        .standardized

    private static func examples(of property: Property) throws -> [(name: String, bytes: [UInt8])] {
        let folder = corpus.appending(path: property.name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            (name, [UInt8](try Data(contentsOf: folder.appending(path: name))))
        }
    }
}
