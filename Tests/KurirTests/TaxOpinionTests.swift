import Domain
import TestSupport
import Testing

/// A second opinion on numbers for taxes: that of python-stdnum, which others wrote.
@Suite struct TaxOpinionTests {
    @Test func `numbers of the European Union are taken as python-stdnum takes them`() async throws {
        let seed = Seed.forThisRun()
        let opinions = try await Python.run("python", [Python.root + "/Tests/Taxes/opinions.py", "\(seed.start)"])
        var told: [String: Int] = [:]
        for line in opinions.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let (prefix, number, isValid) = (words[0], words[1], words[2] == "1")
            // Only with its prefix is a British number one of the Union.
            let text = prefix == "XI" ? prefix + number : number
            let taken = try? TaxID(text, in: try Country(prefix))
            #expect((taken != nil) == isValid, "\(line), \(seed)")
            told["\(prefix) \(isValid)", default: 0] += 1
        }
        #expect(told.count == 2 * 28 && told.values.allSatisfy { $0 > 500 }, "\(told)")
    }
}
