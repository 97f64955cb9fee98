import API
import Domain
import HTTP

/// What became of some deliveries.
struct AreaSums: Sendable {
    var deliveries = 0
    var delivered = 0
    var returned = 0
    var failed = 0
    /// How long each took that was delivered, from being accepted.
    var seconds: ArraySlice<Int32> = []

    mutating func add(_ other: AreaSums) {
        count(other)
        seconds += other.seconds
    }

    /// Adds all but the times.
    mutating func count(_ other: AreaSums) {
        deliveries += other.deliveries
        delivered += other.delivered
        returned += other.returned
        failed += other.failed
    }

    /// The middle one of these times in minutes, with a tenth.
    var medianMinutes: Double? {
        guard !seconds.isEmpty else { return nil }
        var (rest, half) = (Array(seconds), seconds.count / 2)
        let upper = rest.select(half)
        let middle = rest.count % 2 == 1 ? Double(upper) : (Double(rest[..<half].max() ?? upper) + Double(upper)) / 2
        return (middle / 6).rounded() / 10
    }

    static let members: [Shape.Member] =
        counts.map { .init($0, .count) } + [.init("median_minutes", Shape.number.orNull)]
    fileprivate static let counts = ["deliveries", "delivered", "returned", "failed_attempts"]

    func write(_ json: inout JSONWriter) {
        json.field("deliveries", deliveries)
        json.field("delivered", delivered)
        json.field("returned", returned)
        json.field("failed_attempts", failed)
        json.field("median_minutes", medianMinutes)
    }
}

/// The sums of a period, and of the one before.
struct ComparedSums: Sendable {
    var now = AreaSums()
    var before = AreaSums()

    static let members: [Shape.Member] =
        AreaSums.counts.map {
            .init(
                $0,
                .object(
                    "FigureCount",
                    [.init("value", .count), .init("change", .integer(-Int(Int32.max)...Int(Int32.max)))]))
        } + [
            .init(
                "median_minutes",
                .object("FigureTime", [.init("value", Shape.number.orNull), .init("change", Shape.number.orNull)]))
        ]

    func write(_ json: inout JSONWriter) {
        func count(_ name: StaticString, _ part: KeyPath<AreaSums, Int>) {
            json.object(name) { json in
                json.field("value", now[keyPath: part])
                json.field("change", now[keyPath: part] - before[keyPath: part])
            }
        }
        count("deliveries", \.deliveries)
        count("delivered", \.delivered)
        count("returned", \.returned)
        count("failed_attempts", \.failed)
        let (minutes, former) = (now.medianMinutes, before.medianMinutes)
        json.object("median_minutes") { json in
            json.field("value", minutes)
            // Tenths, which their difference would not be.
            json.field("change", minutes.flatMap { now in former.map { ((now - $0) * 10).rounded() / 10 } })
        }
    }
}

/// What became of the deliveries of a day, cell by cell; what has no place has no cell.
struct AreaDay: Sendable {
    let day: Day
    /// In the order of their numbers, behind what has none.
    let cells: [AreaCell?]
    let sums: [AreaSums]
    /// The times of all cells together.
    let seconds: [Int32]

    /// All cells together.
    var total: AreaSums {
        var total = sums.reduce(into: AreaSums()) { $0.count($1) }
        total.seconds = seconds[...]
        return total
    }

    /// A cell's, if there was anything in it.
    func sums(of cell: AreaCell?) -> AreaSums? {
        func number(_ cell: AreaCell?) -> Int32 { cell?.number ?? -1 }
        var (low, high) = (0, cells.count)
        while low < high {
            let middle = (low + high) / 2
            if cells[middle] == cell { return sums[middle] }
            if number(cells[middle]) < number(cell) { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

/// The figures of a period and of the one before: of everything, of what has no place, and of the cells with the most deliveries.
struct AreaFigures: Sendable {
    private(set) var total = ComparedSums()
    private(set) var placeless = ComparedSums()
    /// The busiest first; of equal ones, by name.
    private(set) var top: [(cell: AreaCell, sums: ComparedSums)] = []

    init(_ days: [AreaDay], since first: Day, top most: Int) {
        var counts: [AreaCell: Int] = [:]
        for day in days where day.day >= first {
            for (cell, sums) in zip(day.cells, day.sums) { if let cell { counts[cell, default: 0] += sums.deliveries } }
        }
        let busiest = counts.map { (cell: $0.key, deliveries: $0.value, name: $0.key.description) }
            .sorted { ($1.deliveries, $0.name) < ($0.deliveries, $1.name) }
            .prefix(most).map(\.cell)
        // Times are gathered for those alone that are told: there may be hundreds of cells, each with its few of every day.
        top = busiest.map { ($0, ComparedSums()) }
        for day in days {
            let part: WritableKeyPath<ComparedSums, AreaSums> = day.day < first ? \.before : \.now
            total[keyPath: part].add(day.total)
            if let sums = day.sums(of: nil) { placeless[keyPath: part].add(sums) }
            for place in top.indices {
                if let sums = day.sums(of: top[place].cell) { top[place].sums[keyPath: part].add(sums) }
            }
        }
    }
}
