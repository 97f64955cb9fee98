import TestSupport
import Testing

@testable import Domain

@Suite struct AreaCellTests {
    /// What geohash.org calls the cells of some places.
    @Test(arguments: [
        (57.64911, 10.40744, "u4pruy"), (45.813, 15.978, "u25kes"), (0.0, 0.0, "s00000"), (-90, -180, "000000"),
        (90, 180, "zzzzzz"), (-33.8568, 151.2153, "r3gx2u"),
    ])
    func `a place is in the cell that others say`(_ lat: Double, _ lon: Double, _ name: String) throws {
        let cell = AreaCell(of: try #require(Location(lat: lat, lon: lon)))
        #expect(cell.description == name)
        #expect(AreaCell(name) == cell && AreaCell(number: cell.number) == cell)
    }

    @Test func `the middle of each cell is in it, and within a kilometre of whatever is`() throws {
        var seed = Seed.forThisRun()
        for _ in 0..<2000 {
            let degrees = { (range: Double) in Double(seed.next() >> 11) / 0x1p53 * range - range / 2 }
            let place = try #require(Location(lat: degrees(180), lon: degrees(360)))
            let cell = AreaCell(of: place)
            #expect(AreaCell(of: cell.middle) == cell, "\(place)")
            #expect(AreaCell(cell.description) == cell && AreaCell(number: cell.number) == cell)
            #expect(place.meters(to: cell.middle) < 690, "\(place)")
        }
    }

    @Test(arguments: ["", "u25ke", "u25kes7", "u25kea", "U25KES", "u25ke ", "ščćžđš"])
    func `what is no name of a cell is none`(_ name: String) {
        #expect(AreaCell(name) == nil)
    }

    @Test func `what has no place has no cell`() { #expect(AreaCell(number: -1) == nil) }
}
