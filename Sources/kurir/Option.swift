/// An option of the command line, which the environment can give as well.
struct Option: Sendable {
    /// Without the dashes.
    let name: String
    /// What stands for its value in the help; nil for one that is only there or not.
    let placeholder: String?
    /// The variable that gives it where the command line does not.
    let environment: String
    /// What it does, for the help.
    let help: String

    static let listen = Option(
        name: "listen", placeholder: "HOST:PORT", environment: "KURIR_LISTEN",
        help: "where to listen; port 0 takes a free one (127.0.0.1:8080)")
    static let database = Option(
        name: "database", placeholder: "URL", environment: "DATABASE_URL",
        help: "the PostgreSQL to use, as postgresql://…; without it a private one is run in --data-dir")
    static let dataDirectory = Option(
        name: "data-dir", placeholder: "DIR", environment: "KURIR_DATA_DIR",
        help: "where the private PostgreSQL keeps its data (./kurir-data)")
    static let demo = Option(
        name: "demo", placeholder: nil, environment: "KURIR_DEMO",
        help: "a trial: data in a directory of its own that goes away at the end")
    static let loops = Option(
        name: "loops", placeholder: "N", environment: "KURIR_LOOPS",
        help: "threads that serve requests (one a core)")
    static let poolSize = Option(
        name: "pool-size", placeholder: "N", environment: "KURIR_POOL_SIZE",
        help: "database connections of each such thread (4)")
    static let maximumConnections = Option(
        name: "max-connections", placeholder: "N", environment: "KURIR_MAX_CONNECTIONS",
        help: "clients' connections open at once (20000)")
    static let maximumConnectionsPerAddress = Option(
        name: "max-connections-per-address", placeholder: "N", environment: "KURIR_MAX_CONNECTIONS_PER_ADDRESS",
        help: "the same for one address, trusted proxies aside (256)")
    static let throttle = Option(
        name: "throttle", placeholder: "on|off", environment: "KURIR_THROTTLE",
        help: "off lifts what is limited per address, for tests and trusted networks (on)")
    static let trustedProxies = Option(
        name: "trusted-proxies", placeholder: "NETWORKS", environment: "KURIR_TRUSTED_PROXIES",
        help: "whose X-Forwarded-For is believed, as in 10.0.0.0/8,::1")
    static let allowedOrigins = Option(
        name: "allowed-origins", placeholder: "ORIGINS", environment: "KURIR_ALLOWED_ORIGINS",
        help: "web origins whose scripts may call, as in https://shop.example; * for all")
    static let logFormat = Option(
        name: "log-format", placeholder: "text|json", environment: "KURIR_LOG_FORMAT",
        help: "how log lines on standard error are written (text)")
    static let shutdownGrace = Option(
        name: "shutdown-grace", placeholder: "SECONDS", environment: "KURIR_SHUTDOWN_GRACE",
        help: "how long requests may go on after SIGTERM (10)")
    static let status = Option(
        name: "status", placeholder: nil, environment: "KURIR_MIGRATE_STATUS",
        help: "only show what is applied and what is not")
}

/// What is wrong with how Kurir was called, with what to write instead.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The values that a command was given, by command line or environment.
struct Settings: Sendable {
    private var values: [String: (text: String, origin: String)] = [:]

    /// Reads `arguments`, then for what they leave out `environment`.
    init(_ options: [Option], arguments: [String], environment: [String: String], command: String) throws {
        for option in options {
            if let text = environment[option.environment], !text.isEmpty {
                values[option.name] = (text, option.environment)
            }
        }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard argument.hasPrefix("--"), let option = options.first(where: { "--" + $0.name == parts[0] }) else {
                let names = options.map { "--" + $0.name }
                throw UsageError(
                    "\(command) does not know \(argument)\(Suggestion.for(parts.first ?? "", among: names)) "
                        + "See kurir \(command) --help")
            }
            values[option.name] = (try Self.value(of: option, parts, &rest), "--" + option.name)
        }
        try refuseUnknown(environment)
    }

    private static func value(
        of option: Option, _ parts: [String], _ rest: inout ArraySlice<String>
    ) throws -> String {
        guard let placeholder = option.placeholder else {
            guard parts.count == 1 else { throw UsageError("--\(option.name) takes no value") }
            return "true"
        }
        if parts.count == 2 { return parts[1] }
        guard let next = rest.popFirst(), !next.hasPrefix("--") else {
            throw UsageError("--\(option.name) wants a value: --\(option.name) \(placeholder)")
        }
        return next
    }

    /// A variable with a slip in its name would otherwise do nothing, silently.
    private func refuseUnknown(_ environment: [String: String]) throws {
        let known = Command.allOptions.map(\.environment)
        for name in environment.keys.sorted() where name.hasPrefix("KURIR_") && !known.contains(name) {
            throw UsageError("the environment has \(name), which means nothing\(Suggestion.for(name, among: known))")
        }
    }

    func has(_ option: Option) -> Bool {
        guard let text = text(option) else { return false }
        return text != "0" && text != "false"
    }

    func text(_ option: Option) -> String? {
        values[option.name]?.text
    }

    /// The value as `parse` understands it; `expected` says what to write instead when it does not.
    func value<Value>(_ option: Option, expected: String, _ parse: (String) -> Value?) throws -> Value? {
        guard let (text, origin) = values[option.name] else { return nil }
        guard let value = parse(text) else { throw UsageError("\(origin) is \(text), but must be \(expected)") }
        return value
    }

    func number(_ option: Option, in range: ClosedRange<Int>) throws -> Int? {
        try value(option, expected: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

/// Finds what somebody probably meant, to end a sentence with.
enum Suggestion {
    static func `for`(_ word: String, among known: [String]) -> String {
        let nearest = known.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(2, word.count / 3) else { return "." }
        return ": did you mean \(nearest.name)?"
    }

    /// How many characters must be put in, taken out or changed (Levenshtein).
    static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second)
        var row = Array(0...second.count)
        for (line, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in second.enumerated() {
                let changed = diagonal + (character == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[second.count]
    }
}
