import TestSupport
import Testing

@testable import Domain

/// The best order of stops, beside that which is found by trying all of them.
@Suite struct RoutePlanTests {
    /// Stops by chance in a town of six kilometres, some with windows.
    private func plan(_ count: Int, _ chance: inout Chance, windows: Int) -> RoutePlan {
        let places = (0...count).map { _ in
            Location(
                lat: 45.8 + Double(chance.number(0...5400)) / 100_000,
                lon: 15.95 + Double(chance.number(0...7700)) / 100_000)!
        }
        let all = (0..<count).map { _ -> RoutePlan.Window in
            guard chance.happens(windows) else { return RoutePlan.Window() }
            let from = Double(chance.number(0...3000))
            return RoutePlan.Window(
                from: chance.happens(50) ? from : nil, until: from + Double(chance.number(300...2400)))
        }
        return RoutePlan(
            fromStart: places.dropFirst().map { StraightWay.seconds(from: places[0], to: $0) },
            between: places.dropFirst().map { from in
                places.dropFirst().map { StraightWay.seconds(from: from, to: $0) }
            }, windows: all)
    }

    /// What the best of all orders comes to.
    private func bestOfAll(_ plan: RoutePlan, _ count: Int) -> RoutePlan.Cost {
        var (order, best) = (Array(0..<count), plan.cost(of: Array(0..<count)))
        func tryAll(_ place: Int) {
            guard place < count else { return best = min(best, plan.cost(of: order)) }
            for other in place..<count {
                order.swapAt(place, other)
                tryAll(place + 1)
                order.swapAt(place, other)
            }
        }
        tryAll(0)
        return best
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7]) func `no order is better`(_ count: Int) {
        var chance = Chance(seed: Seed.forThisRun().start)
        for round in 0..<40 {
            let plan = plan(count, &chance, windows: [0, 30, 100][round % 3])
            let order = plan.best(present: Array(0..<count))
            #expect(order.sorted() == Array(0..<count))
            let (found, best) = (plan.cost(of: order), bestOfAll(plan, count))
            #expect(abs(found.late - best.late) < 0.1 && abs(found.end - best.end) < 0.1, "\(found), not \(best)")
        }
    }

    @Test(arguments: [8, 9]) func `no order of many stops is better`(_ count: Int) {
        var chance = Chance(seed: Seed.forThisRun().start)
        let plan = plan(count, &chance, windows: 60)
        let (found, best) = (plan.cost(of: plan.best(present: Array(0..<count))), bestOfAll(plan, count))
        #expect(abs(found.late - best.late) < 0.1 && abs(found.end - best.end) < 0.1, "\(found), not \(best)")
    }

    @Test func `many stops are ordered better than they stand, and each comes once`() {
        var chance = Chance(seed: Seed.forThisRun().start)
        for count in [10, 20, 60] {
            let plan = plan(count, &chance, windows: 40)
            let present = Array(0..<count)
            let order = plan.best(present: present)
            #expect(order.sorted() == present)
            #expect(plan.cost(of: order) < plan.cost(of: present))
        }
    }

    @Test(arguments: [0, 60])
    func `of very many stops no more orders are tried than there are steps for`(_ windows: Int) {
        var chance = Chance(seed: Seed.forThisRun().start)
        let (plan, present) = (plan(200, &chance, windows: windows), Array(0..<200))
        for most in [RoutePlan.mostSteps, 1_000_000, 1000, 0] {
            var steps = most
            let order = plan.improved(from: present, &steps)
            #expect(order.sorted() == present)
            // An order that was begun with the last step is finished; and each stop is in one, even where none was left.
            #expect(steps > (most == RoutePlan.mostSteps ? -200 : -200 * 200), "\(most)")
            if most >= 1_000_000 { #expect(plan.cost(of: order) < plan.cost(of: present), "\(most)") }
            guard most < RoutePlan.mostSteps else { continue }
            var again = most
            #expect(plan.improved(from: present, &again) == order && again == steps, "\(most)")
        }
        // Twenty have as many as they want.
        var steps = RoutePlan.mostSteps
        _ = self.plan(20, &chance, windows: windows).improved(from: Array(0..<20), &steps)
        print("20 stops took \(RoutePlan.mostSteps - steps) steps")
        #expect(steps > RoutePlan.mostSteps / 10)
    }

    @Test func `an order that cannot be better stays`() {
        let plan = RoutePlan(
            fromStart: [10, 20, 30], between: [[0, 10, 20], [10, 0, 10], [20, 10, 0]],
            windows: [RoutePlan.Window(), RoutePlan.Window(), RoutePlan.Window()])
        #expect(plan.best(present: [0, 1, 2]) == [0, 1, 2])
        #expect(plan.best(present: [2, 0, 1]) == [0, 1, 2])
        #expect(plan.cost(of: [0, 1, 2]).end == 30 && plan.cost(of: [2, 1, 0]).end == 50)
    }

    @Test func `a window is kept, although all of it ends later`() {
        let plan = RoutePlan(
            fromStart: [10, 100], between: [[0, 90], [90, 0]],
            windows: [RoutePlan.Window(), RoutePlan.Window(until: 105)])
        #expect(plan.best(present: [0, 1]) == [0, 1])
        let tight = RoutePlan(
            fromStart: [60, 100], between: [[0, 90], [90, 0]],
            windows: [RoutePlan.Window(), RoutePlan.Window(until: 105)])
        #expect(tight.best(present: [0, 1]) == [1, 0])
        let early = RoutePlan(
            fromStart: [10, 100], between: [[0, 90], [90, 0]],
            windows: [RoutePlan.Window(from: 300), RoutePlan.Window()])
        #expect(early.best(present: [0, 1]) == [1, 0] && early.cost(of: [1, 0]).end == 300)
    }
}
