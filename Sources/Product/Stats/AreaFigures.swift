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
    var seconds: [Int32] = []

    mutating func add(_ other: AreaSums) {
        deliveries += other.deliveries
        delivered += other.delivered
        returned += other.returned
        failed += other.failed
        seconds += other.seconds
    }

    /// The middle one of these times in minutes, with a tenth.
    var medianMinutes: Double? {
        guard !seconds.isEmpty else { return nil }
        let (sorted, half) = (seconds.sorted(), seconds.count / 2)
        let middle =
            seconds.count % 2 == 1 ? Double(sorted[half]) : (Double(sorted[half - 1]) + Double(sorted[half])) / 2
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

/// The figures of a period and of the one before, by cell; what has no place stands apart.
struct AreaFigures: Sendable {
    private(set) var cells: [AreaCell: ComparedSums] = [:]
    private(set) var placeless = ComparedSums()
    private(set) var total = ComparedSums()

    init(_ days: [ReadAreas.Row], since first: Day) {
        for day in days {
            let part: WritableKeyPath<ComparedSums, AreaSums> = day.day < first ? \.before : \.now
            for (cell, sums) in day.sums {
                total[keyPath: part].add(sums)
                if let cell {
                    cells[cell, default: ComparedSums()][keyPath: part].add(sums)
                } else {
                    placeless[keyPath: part].add(sums)
                }
            }
        }
    }

    /// The cells with the most deliveries; of equal ones, by name.
    func top(_ count: Int) -> [(cell: AreaCell, sums: ComparedSums)] {
        cells.filter { $0.value.now.deliveries > 0 }
            .map { (cell: $0.key, sums: $0.value, name: $0.key.description) }
            .sorted { ($1.sums.now.deliveries, $0.name) < ($0.sums.now.deliveries, $1.name) }
            .prefix(count).map { ($0.cell, $0.sums) }
    }
}
