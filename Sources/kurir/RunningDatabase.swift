import Postgres

/// A database that runs already. It is looked for once, and not before somebody needs it, so that all that is wrong with
/// the options can be said first.
final class RunningDatabase {
    private let location: DatabaseLocation
    private var found: String?

    init(_ settings: GivenSettings) throws {
        location = try DatabaseLocation(settings)
    }

    /// How libpq reaches it.
    func url() throws -> String {
        let url = try found ?? look()
        found = url
        return url
    }

    func connect() throws -> BlockingConnection {
        try BlockingConnection(url: url())
    }

    private func look() throws -> String {
        switch location {
        case .url(let url): url
        case .directory(let path): try EmbeddedServer.url(ofRunning: path)
        case .temporary: throw UsageError("a trial's database is its own: say --database or --data-dir")
        }
    }
}
