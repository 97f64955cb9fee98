import Domain
import Testing

@testable import Simulation

/// The town in which stories happen.
@Suite struct TownTests {
    @Test func `every door is within the town, on a street, and always the same`() {
        for street in ["Ilica", "Vukovarska", "Držićeva", "Tkalčićeva", ""] {
            for number in [1, 7, 42, 180, 9999] {
                let address = "\(street) \(number), Zagreb"
                let door = Town.door(of: address)
                #expect(door == Town.door(of: address))
                #expect((0...Town.width).contains(door.east) && (0...Town.height).contains(door.north), "\(address)")
                #expect(door.north.truncatingRemainder(dividingBy: Town.block) == 0, "\(address)")
                let back = Town.Spot(door.location)
                #expect(back.meters(to: door) < 0.01)
            }
        }
        #expect(Town.door(of: "Ilica 1") != Town.door(of: "Ilica 2"))
    }

    @Test func `whoever rides stays on the streets, gets there, and rests there`() {
        var chance = Chance(seed: 5)
        for _ in 0..<200 {
            func door() -> Town.Spot { Town.door(of: "Ulica\(chance.number(1...40)) \(chance.number(1...300))") }
            let (start, end) = (door(), door())
            var (here, looks) = (start, 0)
            while here != end, looks < 1000 {
                let next = Town.place(from: here, to: end, after: 70)
                #expect(next.meters(to: here) <= 70.001)
                let isOnStreet = [next.east, next.north].contains { along in
                    let away = along.truncatingRemainder(dividingBy: Town.block)
                    return min(abs(away), Town.block - abs(away)) < 0.001
                }
                #expect(isOnStreet, "\(next)")
                (here, looks) = (next, looks + 1)
            }
            #expect(here == end)
            #expect(Town.place(from: end, to: end, after: 70) == end)
        }
    }
}
