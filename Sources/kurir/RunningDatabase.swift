import Postgres

/// A database that runs already. It is looked for once, when it is first needed, so that all mistakes in the options
/// are reported before that.
final class RunningDatabase {
    private let location: DatabaseLocation
    private let keyFile: String?
    private var found: String?

    init(_ settings: GivenSettings) throws {
        location = try DatabaseLocation(settings)
        keyFile = settings.text(.keyFile)
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

    /// What it has sealed.
    func sealedSecret() throws -> SealedSecret {
        let file = try location.keyFile(keyFile)
        return SealedSecret(connection: try connect(), file: file)
    }

    private func look() throws -> String {
        switch location {
        case .url(let url): url
        case .directory(let path): try EmbeddedServer.url(ofRunning: path)
        case .temporary: throw UsageError("a trial's database is its own: say --database or --data-dir")
        }
    }
}
