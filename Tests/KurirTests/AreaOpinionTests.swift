import Domain
import TestSupport
import Testing

/// A second opinion on areas: that of pygeohash, which others wrote.
@Suite struct AreaOpinionTests {
    @Test func `places are in the cells that pygeohash says`() async throws {
        let seed = Seed.forThisRun()
        let opinions = try await Python.run("python", [Python.root + "/Tests/Areas/opinions.py", "\(seed.start)"])
        var told = 0
        for line in opinions.split(separator: "\n") {
            let words = line.split(separator: " ")
            let (lat, lon) = (Double(words[0]) ?? .nan, Double(words[1]) ?? .nan)
            let place = try #require(Location(lat: lat, lon: lon))
            #expect(AreaCell(of: place).description == words[2], "\(line), \(seed)")
            told += 1
        }
        #expect(told == 15_000)
    }
}
