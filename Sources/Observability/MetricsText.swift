/// Writes metrics in Prometheus' text format.
struct MetricsText {
    private(set) var text = ""

    enum Kind: String {
        case counter, gauge, histogram
    }

    /// Begins a metric. The lines that follow until the next are its samples.
    mutating func metric(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Double) {
        text += name + Self.format(labels) + " " + Self.format(value) + "\n"
    }

    /// A metric of a single number.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        metric(name, kind, help)
        sample(name, [], value)
    }

    /// One histogram. `buckets` has one more than `bounds`, and is not cumulative.
    mutating func histogram(
        _ name: String, _ labels: [(String, String)], bounds: [Double], buckets: [Int], sum: Double
    ) {
        var count = 0
        for (place, bucket) in buckets.enumerated() {
            count += bucket
            let bound = place < bounds.count ? Self.format(bounds[place]) : "+Inf"
            sample(name + "_bucket", labels + [("le", bound)], Double(count))
        }
        sample(name + "_sum", labels, sum)
        sample(name + "_count", labels, Double(count))
    }

    private static func format(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",") + "}"
    }

    private static func format(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }
}
