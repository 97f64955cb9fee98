import EventLoop
import Postgres

/// Sees that statements are planned for tables as they are.
///
/// A session plans each statement once, for all its calls. What is planned while a table is empty may as well go through
/// all of it as look something up, and would do so until the database has gathered statistics again, which may be hours.
package struct Plans: Sendable {
    private let lanes: [Database]
    private let failed: @Sendable (any Error) -> Void

    /// `failed` is told when sizes could not be asked for, once for a time; they are asked for again.
    package init(_ lanes: [Database], failed: @escaping @Sendable (any Error) -> Void) {
        (self.lanes, self.failed) = (lanes, failed)
    }

    /// Looks once a second until the task is cancelled.
    package func run(on loop: EventLoop) async {
        var (planned, hasFailed) = ([String: Int64](), false)
        while !Task.isCancelled {
            do {
                let sizes = try await lanes[0].run(SizesOfTables())
                if sizes.contains(where: { $0.pages >= 4 * planned[$0.name, default: 0] + 8 }) {
                    for lane in lanes { await lane.planAnew() }
                    planned = [:]
                }
                // One that has shrunk may be planned for as it is by a session that begins now.
                for (name, pages) in sizes { planned[name] = min(pages, planned[name] ?? pages) }
                hasFailed = false
            } catch {
                if !hasFailed, !(error is CancellationError) { failed(error) }
                hasFailed = true
            }
            try? await loop.sleep(for: .seconds(1))
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
