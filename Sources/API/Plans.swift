import EventLoop
import Postgres

/// Has statements planned again when tables have outgrown their plans.
///
/// A session plans each statement once, for all its calls. A plan made for an empty table may scan all of it instead of
/// looking something up, and would do so until the database gathers statistics again, which may take hours.
package struct Plans: Sendable {
    private let lanes: [Database]
    private let failed: @Sendable (any Error) -> Void

    /// `failed` is told when sizes cannot be read, once for a time. They are asked for again.
    package init(_ lanes: [Database], failed: @escaping @Sendable (any Error) -> Void) {
        (self.lanes, self.failed) = (lanes, failed)
    }

    /// Looks once a second until the task is cancelled.
    package func run(on loop: EventLoop) async {
        var planned: [String: Int64] = [:]
        await loop.repeating(every: .seconds(1), failed: failed) {
            let sizes = try await lanes[0].run(SizesOfTables())
            if sizes.contains(where: { $0.pages >= 4 * planned[$0.name, default: 0] + 8 }) {
                for lane in lanes { await lane.planAnew() }
                planned = [:]
            }
            // When a table has shrunk, a session that begins now may plan for the smaller size.
            for (name, pages) in sizes { planned[name] = min(pages, planned[name] ?? pages) }
        }
    }
}

struct SizesOfTables: Statement {
    static let sql = """
        SELECT relname::text, coalesce(pg_relation_size(oid), 0) / current_setting('block_size')::bigint FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> (name: String, pages: Int64) {
        (try row.read(), try row.read())
    }
}
