/// Options that do nothing by themselves: whoever gives one without what it belongs to is told at the start, and does
/// not find out when no message has come.
extension GivenSettings {
    /// Refuses what was given of `options`, which do nothing without `other`.
    func refuse(_ options: [Option], without other: String) throws {
        for option in options where try isMeant(option) {
            throw UsageError(
                "\(origin(option)) does nothing without \(other): write that as well, or leave \(origin(option)) out")
        }
    }

    /// Refuses those of `serve`, but for its gateways'.
    func refuseIdle() throws {
        if text(.files) == nil { try refuse([.filesUser, .filesPassword, .filesPasswordFile], without: "--files") }
        if text(.map) == nil { try refuse([.mapAttribution], without: "--map") }
        if text(.certificateKeys) == nil { try refuse([.certificateRules], without: "--dcc-keys") }
    }

    private func isMeant(_ option: Option) throws -> Bool {
        guard text(option) != nil, try option.placeholder != nil || has(option) else { return false }
        // Others, too, read variables that are not Kurir's.
        return isOnCommandLine(option) || option.environment.hasPrefix("KURIR_")
    }
}

extension OwnGateways {
    /// Refuses details of gateways that are not there.
    func refuseIdle() throws {
        let kinds = Dictionary(grouping: targets) { $0.channel }
            .mapValues { Set($0.flatMap { GatewayTargets.kinds(of: $0.target) }) }
        let all = kinds.values.reduce(into: Set()) { $0.formUnion($1) }
        func details(_ channel: String) -> [Option] { Option.ofProviders.map { $0.of(channel) } }
        func unless(_ isThere: Bool, _ options: [Option], _ other: String) throws {
            if !isThere { try settings.refuse(options, without: other) }
        }
        try unless(kinds["sms", default: []].contains(.twilio), details("sms"), "--gateway sms=twilio")
        try unless(kinds["email", default: []].contains(.mail), details("email"), "--gateway email=smtp://HOST")
        let user = Option.gatewayUser.of("email")
        try unless(
            settings.text(user) != nil, [Option.gatewayPassword, .gatewayPasswordFile].map { $0.of("email") },
            "--\(user.name)")
        try unless(all.contains(.firebase), [.firebaseKey], "--gateway push=fcm")
        try unless(
            all.contains(.apple), [.appleKey, .appleKeyID, .appleTeam, .appleTopic], "--gateway push=apns")
        try unless(
            all.contains(.webhook), [.webhookSecret, .webhookSecretFile], "a webhook, as in --gateway sms=https://HOST")
        try unless(sendsWebPush, [.pushHosts], "--gateway webpush=on")
        let isFar = !all.subtracting([.log]).isEmpty || settings.text(.files) != nil
        try unless(isFar, [.gatewayInsecure], "--gateway or --files")
        try unless(isFar || sendsWebPush, [.gatewayCertificates], "--gateway or --files")
    }
}

extension GatewayCommand {
    /// Refuses details of providers that are not named. Those in the environment may be other gateways'.
    static func refuseIdle(_ settings: GivenSettings) throws {
        let kinds = Set(GatewayTargets.kinds(of: settings.text(.gatewayTarget) ?? ""))
        func unless(_ isThere: Bool, _ options: [Option], _ other: String) throws {
            if !isThere { try settings.refuse(options.filter(settings.isOnCommandLine), without: other) }
        }
        try unless(!kinds.isDisjoint(with: [.twilio, .mail]), Option.ofProviders, "--to twilio or --to smtp://HOST")
        try unless(settings.text(.gatewayUser) != nil, [.gatewayPasswordFile], "--user")
        try unless(kinds.contains(.firebase), [.firebaseKey], "--to fcm")
        try unless(kinds.contains(.apple), [.appleKey, .appleKeyID, .appleTeam, .appleTopic], "--to apns")
        try unless(kinds.contains(.webhook), [.webhookSecretFile], "--to https://HOST")
    }
}
