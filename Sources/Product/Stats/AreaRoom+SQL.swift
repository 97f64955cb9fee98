import API
import Domain
import Postgres

/// Where a store's days begin and end, and which one it is there now.
struct FindStoreDay: Statement {
    static let sql = """
        SELECT zone, (now() AT TIME ZONE zone)::date::text
        FROM stores s, LATERAL (SELECT zone_of(s.country, s.lat, s.lon) AS zone OFFSET 0) z WHERE s.id = $1
        """
    static let isReadOnly = true
    let store: ID

    func bind(into parameters: inout Parameters) { parameters.add(store) }

    static func decode(_ row: inout RowReader) throws -> (zone: String, today: Day) {
        (try row.read(), try Day.read(&row))
    }
}

/// The figures by area of each of a store's days; days without deliveries may be left out.
struct ReadAreas: Statement {
    static let sql = """
        SELECT day - '1970-01-01', cells, deliveries, delivered, returned, failed, seconds
        FROM areas_between($1, $2, $3::text::date, $4::text::date)
        """
    static let isReadOnly = true
    let store: ID
    let zone: String
    let first, last: Day

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(zone)
        parameters.add(first.description)
        parameters.add(last.description)
    }

    static func decode(_ row: inout RowReader) throws -> AreaDay {
        let (day, cells) = (Day(number: Int64(try row.read() as Int32)), try row.read() as [Int32])
        let (deliveries, delivered): ([Int32], [Int32]) = (try row.read(), try row.read())
        let (returned, failed, seconds): ([Int32], [Int32], [Int32]) = (try row.read(), try row.read(), try row.read())
        guard seconds.count == delivered.reduce(0, { $0 + Int($1) }) else {
            throw PostgresError.unexpected("a day whose figures do not match")
        }
        var place = 0
        let sums = zip(cells.indices, delivered).map { number, count in
            defer { place += Int(count) }
            return AreaSums(
                deliveries: Int(deliveries[number]), delivered: Int(count), returned: Int(returned[number]),
                failed: Int(failed[number]), seconds: seconds[place..<(place + Int(count))])
        }
        return AreaDay(day: day, cells: cells.map(AreaCell.init(number:)), sums: sums, seconds: seconds)
    }
}

extension Day {
    /// Reads a column that has it as a text.
    static func read(_ row: inout RowReader) throws -> Day {
        let text: String = try row.read()
        guard let day = Day(text) else { throw PostgresError.unexpected("the day \(text)") }
        return day
    }
}

/// Keeps the figures of some days that are over, and says whether there may be more.
package struct FoldAreas: Statement {
    package init() {}

    package static let sql = "SELECT fold_areas()"

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
