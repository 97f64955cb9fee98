import TestSupport
import Testing

@testable import HTTP

@Suite struct ParserRandomTests {
    private let reference = Reference()
    private let feeder = Feeder()

    @Test func `the parser and a second reading of the grammar agree on random requests`() {
        let seed = Seed.forThisRun()
        print("random requests: \(seed)")
        var maker = RandomRequest(seed: seed)
        var mutation = Mutation(seed: Seed(seed.start &+ 1))
        var cutting = Seed(seed.start &+ 2)
        var tally = Tally()
        for _ in 0..<30_000 {
            var bytes = maker.make()
            for _ in 0..<max(0, cutting.number(-1...3)) { bytes = mutation.damage(bytes) }
            let expected = reference.read(bytes)
            tally.add(expected)
            let cuts = (0..<cutting.number(0...4)).map { _ in cutting.number(0...bytes.count) }.sorted()
            if let disagreement = compare(bytes, cuts, expected) {
                Issue.record("\(seed): \(disagreement)")
                tally.disagreements += 1
                if tally.disagreements == 10 { break }
            }
        }
        #expect(tally.disagreements == 0)
        // A test in which everything is refused would show little.
        #expect(tally.accepted > 3_000 && tally.refused > 3_000 && tally.incomplete > 1_000, "\(tally)")
    }

    private struct Tally {
        var accepted = 0
        var refused = 0
        var incomplete = 0
        var disagreements = 0

        mutating func add(_ answer: Reference.Answer) {
            switch answer {
            case .accepted: accepted += 1
            case .refused: refused += 1
            case .incomplete: incomplete += 1
            }
        }
    }

    /// The disagreement between the two, if there is one.
    private func compare(_ bytes: [UInt8], _ cuts: [Int], _ expected: Reference.Answer) -> String? {
        let outcome = feeder.read(bytes, cuts: cuts)
        switch (outcome, expected) {
        case (.accepted(let facts), .accepted(let same)) where facts == same: return nil
        case (.refused, .refused), (.incomplete, .incomplete): return nil
        case (.incomplete, .refused) where isRefusedWhenComplete(bytes): return nil
        default: return "\"\(escaped(bytes))\" cut at \(cuts):\n  parser \(outcome)\n  reference \(expected)"
        }
    }

    /// The parser judges some things only when it has seen the whole line or head.
    private func isRefusedWhenComplete(_ bytes: [UInt8]) -> Bool {
        if case .refused = feeder.read(bytes + [13, 10, 13, 10]) { true } else { false }
    }
}
