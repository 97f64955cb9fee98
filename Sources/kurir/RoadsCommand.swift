import Domain
import Glibc
import HTTP
import Postgres
import Road

/// `kurir roads`: what others know of the road.
enum RoadsCommand {
    /// How many entries the database takes at once.
    private static let atOnce = 1000
    private static let mostBytes = 268_435_456

    /// Takes a file of reports. Again it changes what it has said before.
    static func importFile(_ settings: GivenSettings, in database: RunningDatabase) throws {
        guard let path = settings.text(.roadsFile) else { throw UsageError("which file? kurir roads import FILE") }
        let source = try settings.value(
            .roadsSource, expected: "a name of up to \(Bounds.roadSource) characters", RoadImport.source)
        let (isStrict, replaces) = (try settings.has(.roadsStrict), try settings.has(.roadsReplace))
        let file: RoadImport
        do {
            file = try RoadImport(
                try BoundedFile.read(path, upTo: mostBytes), source: source, withRadars: try radars(settings))
        } catch is RoadImport.NotUnderstood {
            throw UsageError("\(path) is neither a list of reports in JSON nor GeoJSON")
        }
        for (number, reason) in file.wrong { tell("entry \(number): \(reason)\n") }
        guard !isStrict || file.wrong.isEmpty else {
            throw UsageError("nothing was taken, since \(file.wrong.count) entries are wrong")
        }
        let connection = try database.connect()
        if isStrict { try connection.execute("BEGIN") }
        let (created, updated) = try take(file.entries, connection)
        let ended = replaces ? try end(file.named, connection) : 0
        if isStrict { try connection.execute("COMMIT") }
        print("\(created) new, \(updated) known, \(file.wrong.count) skipped, \(ended) ended")
    }

    /// Forgets reports, all or those of a kind.
    static func clear(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let kind = try settings.value(.roadsKind, expected: "a kind of report, as in roadworks") {
            RoadImport.kinds.contains($0) ? $0 : nil
        }
        let connection = try database.connect()
        var (cleared, last) = (0, 0)
        repeat {
            let rows = try connection.query(CommandSQL.clearRoads, [kind])
            last = rows.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
            cleared += last
        } while last > 0
        print("\(cleared) reports are cleared.")
    }

    private static func radars(_ settings: GivenSettings) throws -> Bool {
        try settings.value(.radars, expected: "on or off") { ["on": true, "off": false][$0] } ?? true
    }

    private static func take(
        _ entries: [JSON], _ connection: BlockingConnection
    ) throws -> (created: Int, updated: Int) {
        var (created, updated) = (0, 0)
        for start in stride(from: 0, to: entries.count, by: atOnce) {
            let batch = entries[start..<min(start + atOnce, entries.count)]
            let rows = try connection.query(
                CommandSQL.importRoads, [String(decoding: JSON.array(Array(batch)).bytes, as: UTF8.self)])
            created += rows.first?[0].flatMap { Int($0) } ?? 0
            updated += rows.first?[1].flatMap { Int($0) } ?? 0
            if isatty(STDERR_FILENO) == 1 { tell("\r\(batch.endIndex) of \(entries.count) ") }
        }
        if isatty(STDERR_FILENO) == 1, !entries.isEmpty { tell("\n") }
        return (created, updated)
    }

    /// Ends what the sources do not name any more.
    private static func end(_ named: [String: Set<String>], _ connection: BlockingConnection) throws -> Int {
        try named.sorted { $0.key < $1.key }.reduce(0) { ended, source in
            let ids = JSON.array(source.value.sorted().map { .string($0) })
            let rows = try connection.query(
                CommandSQL.endRoads, [source.key, String(decoding: ids.bytes, as: UTF8.self)])
            return ended + (rows.first?[0].flatMap { Int($0) } ?? 0)
        }
    }

    private static func tell(_ text: String) { _ = write(STDERR_FILENO, text, text.utf8.count) }
}

extension CommandSQL {
    static let clearRoads = """
        WITH cleared AS (
            DELETE FROM road_reports WHERE id IN (
                SELECT id FROM road_reports WHERE $1::text IS NULL OR kind = $1 LIMIT 10000) RETURNING 1)
        SELECT count(*) FROM cleared
        """

    static let importRoads = "SELECT created, updated FROM import_roads($1::jsonb)"

    static let endRoads = "SELECT end_roads($1, $2::jsonb)"
}
