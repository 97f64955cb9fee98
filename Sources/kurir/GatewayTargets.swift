import Gateways

/// Where messages go, as a command was told: webhooks and providers, and what they want to know.
struct GatewayTargets {
    let settings: GivenSettings
    /// The option that names them.
    let option: Option
    /// What signs webhooks, unless another secret is given. It is asked for last, when all else is right.
    let secret: () throws -> WebhookSecret

    /// Adds targets, separated by commas: for messages of a channel, or for all. What a provider cannot work with is said here, too.
    func add(_ targets: String, for channel: String?, to outlets: inout Outlets) throws {
        do {
            try addEach(targets, for: channel, to: &outlets)
        } catch let error as GatewayError {
            throw UsageError(error.description)
        }
    }

    private func addEach(_ targets: String, for channel: String?, to outlets: inout Outlets) throws {
        // A URL may contain commas and plus signs.
        guard !Self.isWebhook(targets), !Self.isMail(targets) else {
            return try add(targets, nil, for: channel, to: &outlets)
        }
        let parted = targets.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !parted.contains("") else {
            throw UsageError("--\(option.name) has nothing beside a comma: name a target there, or leave the comma out")
        }
        for target in parted.filter({ !Self.isWebhook($0) }) + parted.filter(Self.isWebhook) {
            // The part behind a plus is another base URL, as in twilio+https://sms.example.
            let parts = target.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 1 || Self.isWebhook(parts[1]) else {
                throw UsageError("--\(option.name) has no URL behind the plus: as in \(parts[0])+https://HOST")
            }
            try add(parts[0], parts.count > 1 ? parts[1] : nil, for: channel, to: &outlets)
        }
    }

    private func add(_ target: String, _ base: String?, for channel: String?, to outlets: inout Outlets) throws {
        if let channel, let only = Self.channel(of: target), only != channel {
            throw UsageError("--\(option.name) \(channel)=\(target) has no way for \(channel), but for \(only)")
        }
        // Push has a way for each platform; of other channels the last would silently win.
        if let channel, channel != "push", outlets.serve(channel) {
            throw UsageError("--\(option.name) \(channel)= is given twice: one target takes what goes by \(channel)")
        }
        let login = Login(settings: settings, target: target, channel: channel)
        for url in [target, base ?? ""] where url.contains("://") && !Self.namesHost(url) {
            throw UsageError("--\(option.name) names no host: \(url)")
        }
        // Whoever lists the processes would read it, as nobody does the environment. A user's name alone is none.
        for url in [target, base ?? ""] where settings.isOnCommandLine(option) && Self.hasPassword(url) {
            throw UsageError(
                "--\(option.name) has a password in its URL, which others on this machine could read: leave it out"
                    + (Self.isMail(url)
                        ? ", and say it by \(Option.gatewayPassword.of(channel).environment) or in a file" : ""))
        }
        switch target {
        case "log": outlets.addLog(for: channel)
        case "twilio":
            try outlets.addTwilio(
                base, account: try login.wanted(.gatewayUser), token: try login.password(),
                sender: try login.wanted(.gatewaySender))
        case "fcm": try outlets.addFirebase(base, credentials: try login.file(.firebaseKey))
        case "apns":
            try outlets.addApple(
                base, topic: try login.wanted(.appleTopic), team: try login.wanted(.appleTeam),
                keyID: try login.wanted(.appleKeyID),
                key: String(decoding: try login.file(.appleKey), as: UTF8.self))
        case _ where Self.isMail(target):
            outlets.addMail(target, sender: try login.wanted(.gatewaySender), login: try login.ofMail())
        case _ where Self.isWebhook(target):
            try outlets.addWebhook(target, for: channel) { try webhookSecret() ?? secret() }
        default:
            throw UsageError(
                "--\(option.name) does not know \(target): a URL of a webhook, or log, twilio, fcm, apns, smtp://HOST")
        }
    }

    /// What a target is.
    enum Kind { case log, twilio, firebase, apple, mail, webhook }

    /// What those are that are separated by commas; those that are nothing are left out.
    static func kinds(of targets: String) -> [Kind] {
        if isWebhook(targets) { return [.webhook] }
        if isMail(targets) { return [.mail] }
        let known: [String: Kind] = ["log": .log, "twilio": .twilio, "fcm": .firebase, "apns": .apple]
        return targets.split(separator: ",").compactMap { target in
            isWebhook(String(target)) ? .webhook : known[String(target.prefix { $0 != "+" })]
        }
    }

    /// The channel of a provider that has only one.
    private static func channel(of target: String) -> String? {
        isMail(target) ? "email" : ["twilio": "sms", "fcm": "push", "apns": "push"][target]
    }

    private static func isWebhook(_ target: String) -> Bool {
        target.hasPrefix("http://") || target.hasPrefix("https://")
    }

    private static func isMail(_ target: String) -> Bool {
        target.hasPrefix("smtp://") || target.hasPrefix("smtps://")
    }

    /// Whether the URL names a host. Otherwise libcurl would take the path for the host.
    private static func namesHost(_ url: String) -> Bool {
        let host = authority(of: url).split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return !host.isEmpty && !host.hasPrefix(":")
    }

    private static func hasPassword(_ url: String) -> Bool {
        guard let at = authority(of: url).lastIndex(of: "@") else { return false }
        return authority(of: url)[..<at].contains(":")
    }

    /// What stands between the scheme and the path.
    private static func authority(of url: String) -> Substring {
        url.split(separator: "://", maxSplits: 1).dropFirst().first?.prefix { !"/?#".contains($0) } ?? ""
    }

    private func webhookSecret() throws -> WebhookSecret? {
        guard let text = try settings.secret(.webhookSecret, orIn: .webhookSecretFile) else { return nil }
        guard let secret = WebhookSecret(text) else {
            throw UsageError(
                "the webhooks' secret must be whsec_ and 24 to 64 bytes in base64; see kurir gateway secret")
        }
        return secret
    }

    /// What a provider wants to know of its customer. One command may serve several, so that options name the channel there.
    private struct Login {
        let settings: GivenSettings
        let target: String
        let channel: String?

        func wanted(_ option: Option) throws -> String {
            let option = option.of(channel)
            guard let text = settings.text(option) else {
                throw UsageError(
                    "\(target) wants --\(option.name) \(option.placeholder ?? ""), or \(option.environment)")
            }
            return text
        }

        func file(_ option: Option) throws -> [UInt8] {
            _ = try wanted(option)
            return try settings.file(option.of(channel)) ?? []
        }

        func password() throws -> String {
            let (option, file) = (Option.gatewayPassword.of(channel), Option.gatewayPasswordFile.of(channel))
            guard let text = try settings.secret(option, orIn: file) else {
                throw UsageError("\(target) wants \(option.environment), or --\(file.name) FILE")
            }
            return text
        }

        func ofMail() throws -> (user: String, password: String)? {
            try settings.text(Option.gatewayUser.of(channel)).map { ($0, try password()) }
        }
    }
}

extension Option {
    /// The options that a provider has for each channel.
    static let ofProviders = [gatewayUser, gatewayPassword, gatewayPasswordFile, gatewaySender]

    /// The option for one of several channels: `--sms-user` for `--user`.
    func of(_ channel: String?) -> Option {
        guard let channel, Self.ofProviders.contains(where: { $0.name == name }) else { return self }
        return Option(
            name: "\(channel)-\(name)", placeholder: placeholder,
            environment: environment.replacing("KURIR_GATEWAY_", with: "KURIR_\(channel.uppercased())_"),
            help: "--gateway \(channel)=…: " + help, orInFile: orInFile.map { "\(channel)-\($0)" })
    }
}
