import Domain
import Testing

/// How wrong it is when somebody is said to arrive, where it is known when it does: couriers ride through a town of streets at right
/// angles, faster and slower, wait at crossings and ring at the doors before.
@Suite struct ArrivalErrorTests {
    /// A town of five kilometres, whose streets are a hundred metres apart and do not run to the north.
    private struct Town {
        static let block = 100.0, blocks = 50
        private static let degree = 111_195.08

        static func place(_ x: Int, _ y: Int) -> Location {
            let (east, north) = (Double(x) * block, Double(y) * block)
            let (turnedEast, turnedNorth) = (
                east * 0.825 - north * 0.565, east * 0.565 + north * 0.825
            )
            return Location(lat: 45.8 + turnedNorth / degree, lon: 15.98 + turnedEast / degree / 0.697)!
        }
    }

    /// One courier with its stops: what was said of each, and how long it took.
    private func ride(_ chance: inout Chance) -> [(said: Double, took: Double)] {
        func crossing() -> (Int, Int) { (chance.number(0...Town.blocks), chance.number(0...Town.blocks)) }
        var (here, clock) = (crossing(), 0.0)
        let stops = (0..<chance.number(1...4)).map { _ in crossing() }
        // From 14 to 22 km/h.
        let speed = Double(chance.number(39...61)) / 10
        let start = Town.place(here.0, here.1)
        var (said, place) = (0.0, start)
        return stops.map { stop in
            let next = Town.place(stop.0, stop.1)
            said += StraightWay.seconds(from: place, to: next)
            place = next
            for _ in 0..<abs(stop.0 - here.0) + abs(stop.1 - here.1) {
                clock += Town.block / speed
                if chance.happens(10) { clock += Double(chance.number(5...30)) }
            }
            here = stop
            defer { clock += Double(chance.number(40...120)) }
            return (said, clock)
        }
    }

    @Test func `arrivals are told about right`() {
        var chance = Chance(seed: 18)
        var (errors, shares): ([Double], [Double]) = ([], [])
        for _ in 0..<5000 {
            for (said, took) in ride(&chance) where took > 60 {
                errors.append(abs(said - took))
                shares.append(abs(said - took) / took)
            }
        }
        (errors, shares) = (errors.sorted(), shares.sorted())
        func at(_ part: Double, _ values: [Double]) -> Double { values[Int(Double(values.count) * part)] }
        print(
            "arrivals by straight lines, \(errors.count) of them: wrong by \(Int(at(0.5, errors))) s at the median",
            "(\(Int(at(0.5, shares) * 100)) %), \(Int(at(0.9, errors))) s at the 90th percentile (\(Int(at(0.9, shares) * 100)) %)"
        )
        #expect(at(0.5, shares) < 0.2 && at(0.9, shares) < 0.4)
    }
}
