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
        SELECT day - '1970-01-01', coalesce(packed, pack_areas(figures))
        FROM areas_between($1, $2, $3::text::date, $4::text::date) AS figures
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
        let (day, packed) = (Day(number: Int64(try row.read() as Int32)), try row.read() as PackedNumbers)
        let columns = try packed.columns(5)
        let (cells, deliveries, delivered) = (columns[0], columns[1], columns[2])
        let (returned, failed, seconds) = (columns[3], columns[4], columns[5])
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

/// The numbers of a day one behind the other, as `pack_areas` writes them.
private struct PackedNumbers: PostgresValue {
    static var postgresType: PostgresType { .bytea }
    private let numbers: [Int32]

    init(postgres bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count % 4 == 0 else { throw PostgresError.unexpected("\(bytes.count) bytes of numbers") }
        numbers = (0..<bytes.count / 4).map {
            Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self))
        }
    }

    func encode(into bytes: inout [UInt8]) { for number in numbers { bytes.append(bigEndian: number) } }

    /// So many columns of one length, and behind them the rest.
    func columns(_ count: Int) throws -> [[Int32]] {
        let length = Int(numbers.first ?? -1)
        guard 0...(numbers.count - 1) / count ~= length else { throw PostgresError.unexpected("\(length) cells") }
        let columns = (0..<count).map { Array(numbers[(1 + $0 * length)..<(1 + ($0 + 1) * length)]) }
        return columns + [Array(numbers[(1 + count * length)...])]
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
