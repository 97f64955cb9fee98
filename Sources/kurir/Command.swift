/// The commands of `kurir`.
enum Command: String, CaseIterable {
    case serve, migrate
    case createGatewayKey = "gateway-key create"
    case listGatewayKeys = "gateway-key list"
    case revokeGatewayKey = "gateway-key revoke"
    case runGateway = "gateway run"
    case showWebhookSecret = "gateway secret"
    case stopSMS = "sms stop"
    case allowSMS = "sms allow"
    case approveAccount = "account approve"
    case policy

    static let version = "0.1.0"

    var options: [Option] {
        switch self {
        case .serve:
            [
                .listen, .database, .replica, .dataDirectory, .demo, .loops, .poolSize, .maximumConnections,
                .maximumConnectionsPerAddress, .maximumRequests, .maximumRequestsPerAddress, .throttle, .eventDays,
                .messageDays, .smsBudget, .smsCountries, .rates, .storeApproval,
                .trustedProxies,
                .allowedOrigins, .publicURL, .appleApps, .androidApps, .logFormat, .shutdownGrace,
            ]
        case .migrate: [.database, .dataDirectory, .status]
        case .createGatewayKey: [.gatewayName, .gatewayChannels, .database, .dataDirectory]
        case .listGatewayKeys: [.database, .dataDirectory]
        case .revokeGatewayKey: [.gatewayKey, .gatewayName, .database, .dataDirectory]
        case .runGateway:
            [
                .gatewayChannels, .gatewayTarget, .database, .dataDirectory, .webhookSecret, .gatewayUser,
                .gatewayPassword, .gatewaySender, .firebaseKey, .appleKey, .appleKeyID, .appleTeam, .appleTopic,
                .gatewayCertificates, .gatewayMost, .shutdownGrace,
            ]
        case .showWebhookSecret, .stopSMS, .allowSMS, .approveAccount, .policy: [.database, .dataDirectory]
        }
    }

    /// What a command takes besides options, as its help calls it.
    var operand: String? {
        switch self {
        case .stopSMS, .allowSMS: "NUMBER"
        case .approveAccount: "ID"
        default: nil
        }
    }

    static var allOptions: [Option] { allCases.flatMap(\.options) }

    var summary: String {
        switch self {
        case .serve: "bring the database up to date and serve the API"
        case .migrate: "bring the database up to date and stop"
        case .createGatewayKey: "make a key for a gateway, and print it, once"
        case .listGatewayKeys: "show the gateways' keys, what they may do, and when they were last used"
        case .revokeGatewayKey: "end a gateway's key, at once"
        case .runGateway: "send messages on, to a webhook or a provider"
        case .showWebhookSecret: "print what webhooks are signed with, for their receiver"
        case .stopSMS: "send a number no SMS any more, whoever it belongs to"
        case .allowSMS: "send a number SMS again"
        case .approveAccount: "let a new store invite and create, where stores wait for that"
        case .policy: "show the rules of what may be done, how often, and what it may cost, as they are in force"
        }
    }

    var help: String {
        "kurir \(rawValue)\(operand.map { " " + $0 } ?? ""): \(summary)\n\n" + optionHelp
    }

    private var optionHelp: String {
        let width = options.map { Self.usage($0).count }.max() ?? 0
        return options.map { option in
            let usage = Self.usage(option)
            return "  \(usage)\(String(repeating: " ", count: width - usage.count))  \(option.help)\n"
                + "  \(String(repeating: " ", count: width))  environment: \(option.environment)"
        }.joined(separator: "\n")
    }

    static var help: String {
        let commands = allCases.map { command in
            "kurir \(command.rawValue)\(command.operand.map { " " + $0 } ?? "") [OPTIONS]   \(command.summary)\n\(command.optionHelp)"
        }
        return """
            Kurir: dispatch for shops that deliver with couriers they trust.

            \(commands.joined(separator: "\n\n"))

            kurir COMMAND --help   say this of one command
            kurir --help           say all this
            kurir --version        say which version this is

            Every option can be given by the environment, too; the command line wins.
            """
    }

    private static func usage(_ option: Option) -> String {
        "--" + option.name + (option.placeholder.map { " " + $0 } ?? "")
    }
}
