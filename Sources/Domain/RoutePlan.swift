/// The order of stops that ends soonest, with windows kept as far as can be: what is late is late by as little as possible in all, and
/// among those orders the one is best that is through first. Who comes before a window waits.
public struct RoutePlan: Sendable {
    /// When a stop is to be reached, in seconds from now.
    public struct Window: Sendable {
        let from, until: Double

        /// A window; without bounds any time is right.
        public init(from: Double? = nil, until: Double? = nil) {
            (self.from, self.until) = (from ?? 0, until ?? .infinity)
        }
    }

    /// What an order comes to, in seconds.
    public struct Cost: Comparable, Sendable {
        /// How late one is, at all stops together.
        public var late = 0.0
        /// When the last stop is reached.
        public var end = 0.0

        /// Less lateness is better, then an earlier end. Less than a hundredth of a second is none.
        public static func < (left: Cost, right: Cost) -> Bool {
            abs(left.late - right.late) < 0.01 ? left.end < right.end - 0.01 : left.late < right.late
        }
    }

    /// Up to so many stops every order is considered.
    public static let mostExact = 9
    /// For more, orders are tried until one has gone to so many stops in all of them together: then the best so far must do.
    static let mostSteps = 10_000_000

    let count: Int
    private let windows: [Window]
    /// Row by row: from the start (row 0) or from a stop (the others) to each stop.
    private let seconds: [Double]

    /// `fromStart` has the seconds to each stop, `between` those from each to each.
    public init(fromStart: [Double], between: [[Double]], windows: [Window]) {
        let count = windows.count
        precondition(fromStart.count == count && between.count == count && between.allSatisfy { $0.count == count })
        self.count = count
        self.windows = windows
        seconds = fromStart + between.joined()
    }

    /// The best order; beyond ``mostExact`` stops, a good one. `present` is the order as it is.
    public func best(present: [Int]) -> [Int] {
        guard count > 1 else { return present }
        var steps = Self.mostSteps
        let order = count <= Self.mostExact ? exact() : improved(from: present, &steps)
        return cost(of: order) < cost(of: present) ? order : present
    }

    /// What an order comes to.
    public func cost(of order: [Int]) -> Cost {
        var (cost, place) = (Cost(), 0)
        for stop in order {
            visit(stop, from: place, &cost)
            place = stop + 1
        }
        return cost
    }

    @inline(__always)
    private func visit(_ stop: Int, from place: Int, _ cost: inout Cost) {
        let window = windows[stop]
        cost.end = max(cost.end + seconds[place * count + stop], window.from)
        cost.late += max(0, cost.end - window.until)
    }
}

// MARK: Every order

extension RoutePlan {
    /// A way through some stops, to the last of them.
    private struct Way {
        var cost: Cost
        var order: [Int]
    }

    /// For each set of stops and each last one of it, those ways through it are kept that no other is better than in both: less late
    /// so far, and there sooner.
    private func exact() -> [Int] {
        var ways = [[Way]](repeating: [], count: (1 << count) * count)
        for stop in 0..<count {
            var way = Way(cost: Cost(), order: [stop])
            visit(stop, from: 0, &way.cost)
            ways[(1 << stop) * count + stop] = [way]
        }
        for visited in 1..<(1 << count) {
            for last in 0..<count {
                for way in ways[visited * count + last] {
                    for next in 0..<count where visited & 1 << next == 0 {
                        var longer = way
                        visit(next, from: last + 1, &longer.cost)
                        longer.order.append(next)
                        Self.keep(longer, in: &ways[(visited | 1 << next) * count + next])
                    }
                }
            }
        }
        // All visited, whichever is the last.
        let all = ways.suffix(count).joined()
        return all.min { $0.cost < $1.cost }?.order ?? []
    }

    private static func keep(_ way: Way, in ways: inout [Way]) {
        guard !ways.contains(where: { $0.cost.late <= way.cost.late && $0.cost.end <= way.cost.end }) else { return }
        ways.removeAll { way.cost.late <= $0.cost.late && way.cost.end <= $0.cost.end }
        ways.append(way)
    }
}

// MARK: Good orders

extension RoutePlan {
    /// How often an order that cannot be improved is shaken, as long as there are steps for it: less often, orders of twenty stops
    /// with windows were now and then a tenth longer than the best.
    private static let shakes = 100

    /// A good order. `steps` are those that are left, of which those that it takes are taken away.
    func improved(from present: [Int], _ steps: inout Int) -> [Int] {
        let byDue = present.sorted { windows[$0].until < windows[$1].until }
        var best = present
        // What is best to begin with comes first: with very many stops there are no steps left for the others.
        for start in [inserted(byDue, &steps), present, byDue] {
            let order = settled(start, &steps)
            if cost(of: order) < cost(of: best) { best = order }
        }
        // The same stops give the same order each time.
        var chance = Chance(seed: UInt64(count))
        for _ in 0..<Self.shakes where steps > Self.mostSteps / 5 {
            let order = settled(shaken(best, &chance), &steps)
            if cost(of: order) < cost(of: best) { best = order }
        }
        return best
    }

    /// What an order that is tried comes to.
    private func tried(_ order: [Int], _ steps: inout Int) -> Cost {
        steps -= order.count
        return cost(of: order)
    }

    /// Each stop where it costs least, the soonest due first.
    private func inserted(_ stops: [Int], _ steps: inout Int) -> [Int] {
        var order: [Int] = []
        for stop in stops {
            var (best, least) = (order + [stop], tried(order + [stop], &steps))
            for place in order.indices where steps > 0 {
                var other = order
                other.insert(stop, at: place)
                let cost = tried(other, &steps)
                if cost < least { (best, least) = (other, cost) }
            }
            order = best
        }
        return order
    }

    /// Improves an order by its neighbours until none is better, or no steps are left: a part the other way round, or up to three
    /// stops elsewhere.
    private func settled(_ start: [Int], _ steps: inout Int) -> [Int] {
        var (order, least) = (start, cost(of: start))
        var isBetter = true
        while isBetter, steps > 0 {
            isBetter = turn(&order, &least, &steps)
            isBetter = move(&order, &least, &steps) || isBetter
        }
        return order
    }

    private func turn(_ order: inout [Int], _ least: inout Cost, _ steps: inout Int) -> Bool {
        var isBetter = false
        for first in 0..<count - 1 {
            for last in first + 1..<count where steps > 0 {
                order[first...last].reverse()
                let cost = tried(order, &steps)
                if cost < least { (least, isBetter) = (cost, true) } else { order[first...last].reverse() }
            }
        }
        return isBetter
    }

    private func move(_ order: inout [Int], _ least: inout Cost, _ steps: inout Int) -> Bool {
        var isBetter = false
        // One list serves all of them: making one for each would take longer than what it costs to go that way.
        var moved = order
        for length in 1...min(3, count - 1) {
            for from in 0...count - length {
                for to in 0...count - length where to != from && steps > 0 {
                    Self.write(order, with: from..<from + length, at: to, into: &moved)
                    let cost = tried(moved, &steps)
                    guard cost < least else { continue }
                    swap(&order, &moved)
                    (least, isBetter) = (cost, true)
                    break
                }
            }
        }
        return isBetter
    }

    /// Writes an order in which a part stands elsewhere: behind so many of the others.
    private static func write(_ order: [Int], with part: Range<Int>, at place: Int, into moved: inout [Int]) {
        var (written, others) = (0, 0)
        for index in 0...order.count {
            if others == place, written == place {
                for taken in part {
                    moved[written] = order[taken]
                    written += 1
                }
            }
            guard index < order.count, !part.contains(index) else { continue }
            moved[written] = order[index]
            (written, others) = (written + 1, others + 1)
        }
    }

    /// Two neighbouring parts change places, which no single step above can do.
    private func shaken(_ order: [Int], _ chance: inout Chance) -> [Int] {
        let cuts = (0..<3).map { _ in chance.number(0...count) }.sorted()
        let parts = [order[..<cuts[0]], order[cuts[1]..<cuts[2]], order[cuts[0]..<cuts[1]], order[cuts[2]...]]
        return Array(parts.joined())
    }
}
