/// What `kurir` can be told to do.
enum Command: String, CaseIterable {
    case serve, migrate

    static let version = "0.1.0"

    var options: [Option] {
        switch self {
        case .serve:
            [
                .listen, .database, .dataDirectory, .demo, .loops, .poolSize, .maximumConnections,
                .maximumConnectionsPerAddress, .throttle, .trustedProxies, .allowedOrigins, .logFormat, .shutdownGrace,
            ]
        case .migrate: [.database, .dataDirectory, .status]
        }
    }

    static var allOptions: [Option] { allCases.flatMap(\.options) }

    var summary: String {
        switch self {
        case .serve: "bring the database up to date and serve the API"
        case .migrate: "bring the database up to date and stop"
        }
    }

    var help: String {
        let width = options.map { Self.usage($0).count }.max() ?? 0
        let lines = options.map { option in
            let usage = Self.usage(option)
            return "  \(usage)\(String(repeating: " ", count: width - usage.count))  \(option.help)\n"
                + "  \(String(repeating: " ", count: width))  environment: \(option.environment)"
        }
        return "kurir \(rawValue): \(summary)\n\n" + lines.joined(separator: "\n")
    }

    static var help: String {
        let commands = allCases.map { "  kurir \($0.rawValue) [OPTIONS]    \($0.summary)" }
        return """
            Kurir: dispatch for shops that deliver with couriers they trust.

            \(commands.joined(separator: "\n"))
              kurir --version            say which version this is
              kurir --help               say this; kurir COMMAND --help lists the options of one

            Every option can be given by the environment, too; the command line wins.
            """
    }

    private static func usage(_ option: Option) -> String {
        "--" + option.name + (option.placeholder.map { " " + $0 } ?? "")
    }
}
