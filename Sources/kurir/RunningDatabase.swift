import Postgres

/// A database that runs already. It is looked for once, when it is first needed, so that all mistakes in the options
/// are reported before that.
final class RunningDatabase {
    private let location: DatabaseLocation
    private var found: String?

    init(_ settings: GivenSettings) throws {
        location = try DatabaseLocation(settings)
    }

    /// The URL by which libpq reaches it.
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
