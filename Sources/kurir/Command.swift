/// The commands of `kurir`.
enum Command: String, CaseIterable {
    case serve, migrate, simulate, health
    case createGatewayKey = "gateway-key create"
    case listGatewayKeys = "gateway-key list"
    case revokeGatewayKey = "gateway-key revoke"
    case runGateway = "gateway run"
    case showWebhookSecret = "gateway secret"
    case audit
    case verifyAccount = "account verify"
    case approveAccount = "account approve"
    case listAccounts = "account list"
    case showAccount = "account show"
    case blockAccount = "account block"
    case unblockAccount = "account unblock"
    case exportAccount = "account export"
    case eraseAccount = "account erase"
    case makeKey = "keys make"
    case rotateKeys = "keys rotate"
    case adoptKeys = "keys adopt"
    case stopSMS = "sms stop"
    case allowSMS = "sms allow"
    case importRoads = "roads import"
    case clearRoads = "roads clear"
    case policy
    case verifyProof = "proof verify"
    case importBulletins = "bulletin import"
    case postBulletin = "bulletin post"
    case removeBulletin = "bulletin remove"
    case reportRoads = "roads report"

    static let version = "0.1.0"

    var options: [Option] {
        switch self {
        case .serve:
            [
                .listen, .adminListen, .database, .replica, .dataDirectory, .keyFile, .demo, .loops, .poolSize,
                .maximumConnections,
                .maximumConnectionsPerAddress, .maximumRequests, .maximumRequestsPerAddress, .throttle, .eventDays,
                .messageDays, .recipientDays, .photoDays, .conversationDays, .trailDays, .files, .filesUser,
                .filesPassword,
                .filesPasswordFile,
                .mostJobs, .geocoder, .router, .weather, .radars, .map, .mapAttribution, .certificateKeys,
                .certificateRules,
                .smsBudget, .smsCountries, .rates, .storeApproval,
                .verify, .trustedProxies, .allowedOrigins, .publicURL, .tlsCertificate, .tlsKey, .appleApps,
                .androidApps,
                .logFormat,
                .drainSeconds,
                .shutdownGrace, .offersBySMS, .ownGateways, .pushHosts, .gatewayCertificates, .gatewayInsecure,
                .webhookSecret, .webhookSecretFile, .firebaseKey, .appleKey, .appleKeyID, .appleTeam, .appleTopic,
            ] + ["sms", "email"].flatMap { channel in Option.ofProviders.map { $0.of(channel) } }
        case .simulate:
            [
                .simulatedServer, .simulatedSeed, .simulatedStores, .simulatedCouriers, .simulatedDays, .simulatedSpeed,
                .simulatedPast,
            ]
        case .health: [.adminListen, .listen, .tlsCertificate, .tlsKey]
        case .migrate: [.database, .dataDirectory, .keyFile, .status]
        case .createGatewayKey:
            [.gatewayName, .gatewayChannels, .gatewayRole, .gatewayExpires, .database, .dataDirectory, .keyFile]
        case .listGatewayKeys: [.database, .dataDirectory, .keyFile]
        case .revokeGatewayKey: [.gatewayKey, .gatewayName, .database, .dataDirectory, .keyFile]
        case .runGateway:
            [
                .gatewayChannels, .gatewayTarget, .database, .dataDirectory, .keyFile, .webhookSecret,
                .webhookSecretFile,
                .gatewayUser, .gatewayPassword, .gatewayPasswordFile, .gatewayInsecure, .gatewaySender, .firebaseKey,
                .appleKey, .appleKeyID, .appleTeam, .appleTopic,
                .gatewayCertificates, .gatewayMost, .shutdownGrace,
            ]
        case .showWebhookSecret, .rotateKeys, .adoptKeys, .policy: [.database, .dataDirectory, .keyFile]
        case .makeKey: [.keyFile]
        case .audit: [.auditDays, .auditAccount, .database, .dataDirectory, .keyFile]
        case .listAccounts: [.accountKind, .accountText, .actingName, .database, .dataDirectory, .keyFile]
        case .showAccount, .exportAccount: [.account, .actingName, .database, .dataDirectory, .keyFile]
        case .verifyAccount, .approveAccount, .blockAccount, .unblockAccount, .eraseAccount:
            [.account, .reason, .actingName, .database, .dataDirectory, .keyFile]
        case .stopSMS, .allowSMS: [.number, .database, .dataDirectory, .keyFile]
        case .importRoads:
            [
                .roadsFile, .roadsSource, .roadsReplace, .roadsStrict, .radars, .database, .dataDirectory, .keyFile,
            ]
        case .clearRoads: [.roadsKind, .database, .dataDirectory, .keyFile]
        case .verifyProof: [.proofFile, .proofKeys, .proofPhotos]
        case .importBulletins: [.bulletinFeed, .bulletinSource, .bulletinCategory, .database, .dataDirectory, .keyFile]
        case .postBulletin:
            [
                .bulletinTitle, .bulletinText, .bulletinLink, .bulletinCategory, .bulletinSource, .database,
                .dataDirectory, .keyFile,
            ]
        case .removeBulletin: [.bulletin, .database, .dataDirectory, .keyFile]
        case .reportRoads: [.roadFile, .bulletinSource, .database, .dataDirectory, .keyFile]
        }
    }

    /// The option whose name may be left out, as in `kurir account verify ID`.
    var operand: Option? {
        switch self {
        case .verifyAccount, .approveAccount, .showAccount, .blockAccount, .unblockAccount, .exportAccount,
            .eraseAccount:
            .account
        case .makeKey: .keyFile
        case .stopSMS, .allowSMS: .number
        case .importRoads: .roadsFile
        case .verifyProof: .proofFile
        case .importBulletins: .bulletinFeed
        case .removeBulletin: .bulletin
        case .reportRoads: .roadFile
        default: nil
        }
    }

    static var allOptions: [Option] { allCases.flatMap(\.options) }

    var summary: String {
        switch self {
        case .serve: "bring the database up to date and serve the API"
        case .migrate: "bring the database up to date and stop"
        case .simulate: "play a story of stores and couriers on a server for trials, and check what it tells of it"
        case .health: "ask the Kurir on this machine whether it is ready: exit code 0, or 1"
        case .createGatewayKey: "make a key for a gateway, and print it, once"
        case .listGatewayKeys: "show the gateways' keys, what they may do, and when they were last used"
        case .revokeGatewayKey: "end a gateway's key, at once"
        case .runGateway: "send messages on, to a webhook or a provider"
        case .audit: "show sign-ins, failures, changes of accounts, keys"
        case .makeKey: "make a file with a key, or put a new key before those that it has (kurir keys make FILE)"
        case .rotateKeys: "seal what is secret in the database anew, with the first key of the file, while nodes run"
        case .adoptKeys: "seal what is secret in a database from before keys, once no Kurir of then runs"
        case .showWebhookSecret: "print what webhooks are signed with, for their receiver"
        case .verifyAccount: "take an account's number or e-mail address as proven, without a code"
        case .stopSMS: "send a number no SMS any more, whoever it belongs to"
        case .allowSMS: "send a number SMS again"
        case .importRoads: "take reports of the road from a file; what it has said before is changed"
        case .clearRoads: "forget reports of the road"
        case .approveAccount: "let a new store invite and create, where stores wait for that"
        case .listAccounts: "show accounts, with what they sign in with and how they stand"
        case .showAccount: "show what is kept of an account itself, and how much it has"
        case .blockAccount: "end an account's sessions, offers and invites, and let nobody sign in to it"
        case .unblockAccount: "let somebody sign in again who was blocked"
        case .exportAccount: "print everything that is kept about an account, as JSON"
        case .eraseAccount: "erase everything that says who an account was, for good"
        case .verifyProof:
            "say without a server whether the proof of a delivery holds, and what it says: exit code 0, or 1"
        case .importBulletins: "take over the entries of a feed (RSS 2.0, Atom, JSON Feed) that are not there yet"
        case .postBulletin: "publish something to be read by everybody, and print its id"
        case .removeBulletin: "remove something that was published, whoever wrote it"
        case .reportRoads: "publish what a file says of the roads: {title, text, link?} as JSON, or a list of them"
        case .policy: "show the rules of what may be done, how often, and what it may cost, as they are in force"
        }
    }

    var help: String {
        "kurir \(rawValue)\(operandHelp): \(summary)\n\n" + optionHelp
    }

    private var operandHelp: String { operand?.placeholder.map { " " + $0 } ?? "" }

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
            "kurir \(command.rawValue)\(command.operandHelp) [OPTIONS]   \(command.summary)\n\(command.optionHelp)"
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

    /// A secret is given by the environment alone.
    private static func usage(_ option: Option) -> String {
        option.orInFile == nil ? "--" + option.name + (option.placeholder.map { " " + $0 } ?? "") : option.environment
    }
}
