import EventLoop
import Glibc
import Postgres

/// The command line.
@main
enum Kurir {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
            // A key that could not be printed is lost: whoever asked for it must know.
            guard fflush(nil) == 0 else { fail("what it had to say could not be written", code: EX_IOERR) }
        } catch let error as UsageError {
            fail("\(error)", code: EX_USAGE)
        } catch {
            fail(words(of: error), code: EXIT_FAILURE)
        }
    }

    /// What to tell of an error that ends a command. Which option names a database is nothing that those know who connect to it.
    static func words(of error: any Error) -> String {
        guard case PostgresError.unavailable = error else { return "\(error)" }
        return "\(error): does it run, and is --database (DATABASE_URL) or --data-dir right?"
    }

    private static func run(_ arguments: [String]) throws {
        guard let first = arguments.first, first != "--help" else { return print(Command.help) }
        guard first != "--version" else { return print("kurir \(Command.version)") }
        // Some commands have two words.
        let words = arguments.prefix(2).joined(separator: " ")
        guard let command = Command(rawValue: words) ?? Command(rawValue: first) else {
            let ofWord = Command.allCases.filter { $0.rawValue.hasPrefix(first + " ") }
            guard ofWord.isEmpty || arguments.dropFirst().first != "--help" else {
                return print(ofWord.map(\.help).joined(separator: "\n\n"))
            }
            let names = Command.allCases.map(\.rawValue)
            let tried = ofWord.isEmpty ? first : words
            throw UsageError("there is no command \(tried)\(Suggestion.for(tried, among: names)) See kurir --help")
        }
        let rest = Array(arguments.dropFirst(command.rawValue.split(separator: " ").count))
        guard !rest.contains("--help") else { return print(command.help) }
        let settings = try GivenSettings(
            command.options, operand: command.operand, arguments: rest, environment: environment(),
            command: command.rawValue)
        switch command {
        case .serve: try Serve.run(Configuration(settings))
        case .migrate: try migrate(settings, RunningDatabase(settings))
        case .simulate: try SimulateCommand(settings).run()
        case .health: try HealthCommand.run(settings)
        case .createGatewayKey: try GatewayKeyCommand.create(settings, in: RunningDatabase(settings))
        case .listGatewayKeys: try GatewayKeyCommand.list(in: RunningDatabase(settings))
        case .runGateway: try GatewayCommand.run(settings, on: RunningDatabase(settings))
        case .showWebhookSecret: try GatewayCommand.showSecret(of: RunningDatabase(settings))
        case .audit: try AuditCommand.run(settings, in: RunningDatabase(settings))
        case .verifyAccount: try AccountCommand.verify(settings, in: RunningDatabase(settings))
        case .approveAccount: try AccountCommand.approve(settings, in: RunningDatabase(settings))
        case .listAccounts: try AccountCommand.list(settings, in: RunningDatabase(settings))
        case .showAccount: try AccountCommand.show(settings, in: RunningDatabase(settings))
        case .blockAccount: try AccountCommand.block(settings, in: RunningDatabase(settings))
        case .unblockAccount: try AccountCommand.unblock(settings, in: RunningDatabase(settings))
        case .exportAccount: try AccountCommand.export(settings, in: RunningDatabase(settings))
        case .eraseAccount: try AccountCommand.erase(settings, in: RunningDatabase(settings))
        case .makeKey: try KeysCommand.make(settings)
        case .rotateKeys: try KeysCommand.rotate(RunningDatabase(settings))
        case .adoptKeys: try KeysCommand.adopt(RunningDatabase(settings))
        case .stopSMS: try SMSCommand.stop(settings, in: RunningDatabase(settings))
        case .allowSMS: try SMSCommand.allow(settings, in: RunningDatabase(settings))
        case .importRoads: try RoadsCommand.importFile(settings, in: RunningDatabase(settings))
        case .clearRoads: try RoadsCommand.clear(settings, in: RunningDatabase(settings))
        case .verifyProof: try ProofCommand.verify(settings)
        case .importBulletins: try BulletinCommand.importFeed(settings, in: RunningDatabase(settings))
        case .postBulletin: try BulletinCommand.post(settings, in: RunningDatabase(settings))
        case .removeBulletin: try BulletinCommand.remove(settings, in: RunningDatabase(settings))
        case .reportRoads: try RoadsCommand.report(settings, in: RunningDatabase(settings))
        case .policy: try PolicyCommand.show(in: RunningDatabase(settings))
        case .revokeGatewayKey: try GatewayKeyCommand.revoke(settings, in: RunningDatabase(settings))
        }
    }

    // MARK: Commands

    private static func migrate(_ settings: GivenSettings, _ database: RunningDatabase) throws {
        let migrator = try DataStore.migrator()
        if try settings.has(.status) {
            for migration in try migrator.status(database.url()) {
                print("\(migration.file)  \(migration.appliedAt.map { "applied \($0)" } ?? "pending")")
            }
            for functions in try migrator.outdatedFunctions(database.url()) { print("\(functions.file)  pending") }
        } else {
            try migrator.migrate(database.url()) {
                print("applied \($0.file)")
            } replaced: {
                print("replaced \($0.file)")
            }
            print("The database is up to date.")
        }
    }

    // MARK: The process

    private static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        var place = environ
        while let entry = place.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            place += 1
        }
        return variables
    }

    static func fail(_ message: String, code: Int32) -> Never {
        let line = "kurir: \(message)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        exit(code)
    }
}
