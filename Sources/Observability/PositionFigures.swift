import Postgres

/// How many couriers have said where they are.
struct PositionFigures: Sendable {
    let now, before: Int64

    func write(_ text: inout MetricsText) {
        let name = "kurir_couriers_located"
        text.metric(name, .gauge, "Couriers of whom it is known where they are (now), or were last seen (before).")
        text.sample(name, [("known", "now")], Double(now))
        text.sample(name, [("known", "before")], Double(before))
    }
}

/// The same on every node.
struct ReadPositionFigures: Statement {
    static let sql = """
        SELECT count(*) FILTER (WHERE at >= now() - interval '60 seconds'),
            count(*) FILTER (WHERE at < now() - interval '60 seconds')
        FROM positions
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> PositionFigures {
        PositionFigures(now: try row.read(), before: try row.read())
    }
}
