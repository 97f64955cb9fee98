import Crypto
import EventLoop
import Glibc
import Observability
import Postgres
import Schema

/// The PostgreSQL that Kurir works on: somebody else's, or one of its own that it runs.
final class DataStore: Sendable {
    /// The URL by which libpq reaches it.
    let url: String
    /// Where it is, if it is Kurir's own.
    private let directory: String?
    private let embedded: EmbeddedServer?
    private let temporary: String?
    private let threads: BlockingPool

    private init(
        url: String, directory: String?, embedded: EmbeddedServer?, temporary: String?, threads: BlockingPool
    ) {
        self.url = url
        self.directory = directory
        self.embedded = embedded
        self.temporary = temporary
        self.threads = threads
    }

    /// Starts the server with enough connections, if it is our own, and brings its schema up to date, unless that file has other keys
    /// than what is sealed in it.
    static func open(
        _ location: DatabaseLocation, keyFile: String?, connections: Int,
        report: @escaping @Sendable (ProcessEvent) -> Void
    ) async throws -> DataStore {
        let threads = try BlockingPool(name: "store", threads: 1, waiting: 4)
        let store = try await threads.run { try open(location, connections: connections, on: threads, report: report) }
        do {
            try await threads.run {
                try store.sealedSecret(keyFile).tryKeys()
                try store.migrate(report)
            }
            return store
        } catch {
            await store.close()
            throw error
        }
    }

    private static func open(
        _ location: DatabaseLocation, connections: Int, on threads: BlockingPool,
        report: @escaping @Sendable (ProcessEvent) -> Void
    ) throws -> DataStore {
        switch location {
        case .url(let url):
            return DataStore(url: url, directory: nil, embedded: nil, temporary: nil, threads: threads)
        case .directory(let path): return try run(in: path, temporary: nil, connections, threads, report)
        case .temporary:
            let path = try TemporaryDirectory.make()
            do {
                return try run(in: path, temporary: path, connections, threads, report)
            } catch {
                TemporaryDirectory.remove(path)
                throw error
            }
        }
    }

    private static func run(
        in directory: String, temporary: String?, _ connections: Int, _ threads: BlockingPool,
        _ report: @escaping @Sendable (ProcessEvent) -> Void
    ) throws -> DataStore {
        // What is thrown away at the end need not outlive the machine.
        let embedded = try EmbeddedServer.start(
            dataDirectory: directory, connections: connections, durable: temporary == nil
        ) {
            if case .died = $0 { report(.trouble("\($0)")) } else { report(.step("\($0)")) }
        }
        return DataStore(
            url: embedded.url, directory: directory, embedded: embedded, temporary: temporary, threads: threads)
    }

    /// The servers' secret, sealed with the keys of that file. A database of Kurir's own has a file beside it, which is
    /// made with it.
    func secret(_ named: String?, report: @escaping @Sendable (ProcessEvent) -> Void) async throws -> ServerSecret {
        try await threads.run { [self] in
            let sealed = try sealedSecret(named)
            if named == nil { try sealed.makeFile() }
            let (secret, isSealed) = try sealed.secret()
            if !isSealed { report(.trouble("\(KeyError.notAdopted)")) }
            return secret
        }
    }

    private func sealedSecret(_ named: String?) throws -> SealedSecret {
        guard let file = named.map({ KeyFile($0) }) ?? directory.map({ KeyFile(in: $0) }) else {
            preconditionFailure("the settings name a file for a database that is not Kurir's own")
        }
        return SealedSecret(connection: try BlockingConnection(url: url), file: file)
    }

    private func migrate(_ report: @Sendable (ProcessEvent) -> Void) throws {
        try Self.migrator().migrate(url) {
            report(.step("applied migration \($0.file)"))
        } replaced: {
            report(.step("replaced \($0.file)"))
        } filled: {
            guard let rows = $0.rows else { return report(.step("\($0.name) is done")) }
            if rows % 100_000 == 0 { report(.step("\($0.name): \(rows) rows so far")) }
        } waiting: {
            report(.step("waiting for another process that brings the database up to date"))
        }
    }

    static func migrator() throws -> Migrator {
        try Migrator(
            Schema.migrations.map { Migration(file: $0.file, sql: $0.sql) },
            functions: Schema.functions.map { FunctionFile(file: $0.file, sql: $0.sql) },
            revision: Schema.functionsRevision)
    }

    /// Stops the server, if it is our own.
    func close() async {
        try? await threads.run { [embedded, temporary] in
            embedded?.stop()
            if let temporary { TemporaryDirectory.remove(temporary) }
        }
        await Task.detached { [threads] in threads.stop() }.value
    }
}
