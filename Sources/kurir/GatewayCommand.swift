import API
import Crypto
import Gateways
import Glibc
import Postgres

/// `kurir gateway`: sends messages on.
enum GatewayCommand {
    /// Works until a signal asks to stop.
    static func run(_ settings: GivenSettings, on database: RunningDatabase) throws {
        guard let channels = try GatewayKeyCommand.channels(settings) else {
            throw UsageError("a gateway wants channels: --channel \(GatewayKey.allChannels.joined(separator: ","))")
        }
        let most = try settings.number(.gatewayMost, in: 1...500) ?? 64
        let grace = try settings.number(.shutdownGrace, in: 0...3600) ?? 5
        let outlets = try outlets(settings, database)
        for channel in channels where !outlets.serve(channel) {
            throw UsageError("--to \(settings.text(.gatewayTarget) ?? "") has no way for \(channel)")
        }
        let signals = StopSignals()
        var gateway = Gateway(
            database: try database.url(), channels: channels, to: outlets, most: most, grace: grace, tell: complain)
        complain("sends \(channels.joined(separator: ", ")) on; Ctrl-C stops it")
        // A signal is reported only once, so it is remembered.
        var isToStop = false
        gateway.run {
            isToStop = isToStop || signals.haveCome()
            return isToStop
        }
    }

    static func showSecret(of database: RunningDatabase) throws { print(try secret(of: database).text) }

    /// The secret that signs webhooks unless another one is given.
    private static func secret(of database: RunningDatabase) throws -> WebhookSecret {
        WebhookSecret(of: try database.sealedSecret().secret().secret)
    }

    private static func complain(_ text: String) {
        let line = "kurir gateway: \(text)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }

    // MARK: Where to

    private static func outlets(_ settings: GivenSettings, _ database: RunningDatabase) throws -> Outlets {
        guard let targets = settings.text(.gatewayTarget) else {
            throw UsageError("where do messages go? --to URL of a webhook, or log, twilio, fcm, apns, smtp://HOST")
        }
        var outlets = Outlets(
            trusting: settings.text(.gatewayCertificates), mayBePlain: try settings.has(.gatewayInsecure))
        // A URL may contain commas and plus signs.
        guard !isWebhook(targets), !["smtp://", "smtps://"].contains(where: targets.hasPrefix) else {
            try add(targets, nil, settings, database, &outlets)
            return outlets
        }
        // A webhook may need its secret from the database, which is asked last, when all else is right.
        let parted = targets.split(separator: ",").map(String.init)
        for target in parted.filter({ !isWebhook($0) }) + parted.filter(isWebhook) {
            // The part behind a plus is another base URL, as in twilio+https://sms.example.
            let parts = target.split(separator: "+", maxSplits: 1).map(String.init)
            try add(parts[0], parts.count > 1 ? parts[1] : nil, settings, database, &outlets)
        }
        return outlets
    }

    private static func add(
        _ target: String, _ base: String?, _ settings: GivenSettings, _ database: RunningDatabase,
        _ outlets: inout Outlets
    ) throws {
        func wanted(_ option: Option) throws -> String {
            guard let text = settings.text(option) else {
                throw UsageError(
                    "\(target) wants --\(option.name) \(option.placeholder ?? ""), or \(option.environment)")
            }
            return text
        }
        func password() throws -> String {
            guard let text = try settings.secret(.gatewayPassword, orIn: .gatewayPasswordFile) else {
                throw UsageError(
                    "\(target) wants \(Option.gatewayPassword.environment), or --\(Option.gatewayPasswordFile.name) FILE"
                )
            }
            return text
        }
        for url in [target, base ?? ""] where url.contains("://") && !namesHost(url) {
            throw UsageError("--to names no host: \(url)")
        }
        switch target {
        case "log": outlets.addLog()
        case "twilio":
            try outlets.addTwilio(
                base, account: try wanted(.gatewayUser), token: try password(), sender: try wanted(.gatewaySender))
        case "fcm": try outlets.addFirebase(base, credentials: try file(wanted(.firebaseKey)))
        case "apns":
            try outlets.addApple(
                base, topic: try wanted(.appleTopic), team: try wanted(.appleTeam), keyID: try wanted(.appleKeyID),
                key: String(decoding: try file(wanted(.appleKey)), as: UTF8.self))
        case _ where target.hasPrefix("smtp://") || target.hasPrefix("smtps://"):
            let login = try settings.text(.gatewayUser).map { ($0, try password()) }
            outlets.addMail(target, sender: try wanted(.gatewaySender), login: login)
        case _ where isWebhook(target):
            try outlets.addWebhook(target) { try webhookSecret(settings) ?? secret(of: database) }
        default:
            throw UsageError("--to does not know \(target): a URL of a webhook, or log, twilio, fcm, apns, smtp://HOST")
        }
    }

    private static func isWebhook(_ target: String) -> Bool {
        target.hasPrefix("http://") || target.hasPrefix("https://")
    }

    /// Whether the URL names a host. Otherwise libcurl would take the path for the host.
    private static func namesHost(_ url: String) -> Bool {
        let authority =
            url.split(separator: "://", maxSplits: 1).dropFirst().first?.prefix { !"/?#".contains($0) } ?? ""
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return !host.isEmpty && !host.hasPrefix(":")
    }

    private static func webhookSecret(_ settings: GivenSettings) throws -> WebhookSecret? {
        guard let text = try settings.secret(.webhookSecret, orIn: .webhookSecretFile) else { return nil }
        guard let secret = WebhookSecret(text) else {
            throw UsageError(
                "the webhooks' secret must be whsec_ and 24 to 64 bytes in base64; see kurir gateway secret")
        }
        return secret
    }

    static func file(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw UsageError("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        // No key file is longer.
        return [UInt8](unsafeUninitializedCapacity: 65_536) { bytes, count in
            count = fread(bytes.baseAddress, 1, bytes.count, file)
        }
    }
}
