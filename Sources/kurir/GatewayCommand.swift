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
        let outlets = try Self.outlets(settings, database)
        for channel in channels where !outlets.serve(channel) {
            throw UsageError("--to \(settings.text(.gatewayTarget) ?? "") has no way for \(channel)")
        }
        try refuseIdle(settings)
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

    private static func outlets(_ settings: GivenSettings, _ database: RunningDatabase) throws -> Outlets {
        guard let targets = settings.text(.gatewayTarget) else {
            throw UsageError("where do messages go? --to URL of a webhook, or log, twilio, fcm, apns, smtp://HOST")
        }
        var outlets = Outlets(
            trusting: try settings.certificates(), mayBePlain: try settings.has(.gatewayInsecure))
        let targeting = GatewayTargets(settings: settings, option: .gatewayTarget) {
            do {
                return try secret(of: database)
            } catch is UsageError {
                throw UsageError(
                    "a webhook wants \(Option.webhookSecret.environment), or --\(Option.webhookSecretFile.name) FILE:"
                        + " kurir gateway secret, run as who has the key file, prints it")
            }
        }
        try targeting.add(targets, for: nil, to: &outlets)
        return outlets
    }

    /// The secret that signs webhooks unless another one is given.
    private static func secret(of database: RunningDatabase) throws -> WebhookSecret {
        WebhookSecret(of: try database.sealedSecret().secret().secret)
    }

    private static func complain(_ text: String) {
        let line = "kurir gateway: \(text)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }
}
