import Crypto
import Curl
import Glibc

/// The ways out of a gateway: one for each channel, and for push one for each platform.
public struct Outlets: Sendable {
    /// The ways by channel, and for push by platform, too. One without a channel takes messages that have no way of their own.
    private var providers: [String?: any Provider] = [:]
    /// The ways that could not be made ready: why, and until when they are left alone.
    private var resting: [String: (reason: String, until: Double)] = [:]
    /// For so many seconds.
    private static let rest = 8.0
    /// The channels whose messages are written to standard output; nil for all.
    private var logged: Set<String?> = []
    /// A file of the certificates to trust, besides the system's.
    let certificates: String?
    /// Whether messages may go where everybody on the way reads them.
    private let mayBePlain: Bool

    /// Begins without any way.
    public init(trusting certificates: String?, mayBePlain: Bool) {
        (self.certificates, self.mayBePlain) = (certificates, mayBePlain)
    }

    enum Outlet {
        case provider(any Provider)
        case log
        case none(String)
    }

    func outlet(for message: Claimed) -> Outlet {
        if isLogged(message.channel) { return .log }
        if let provider = providers[way(of: message)] { return .provider(provider) }
        return .none("this gateway has no way to \(message.platform ?? message.channel)")
    }

    /// Why the way of a message is not ready, if that is so.
    func trouble(of message: Claimed) -> String? { way(of: message).flatMap { resting[$0]?.reason } }

    private func way(of message: Claimed) -> String? {
        [message.platform, message.channel].compactMap(\.self).first { providers[$0] != nil }
    }

    /// Makes ready what messages of that channel go by; false when there are ways and none of them is. One that cannot be made ready
    /// keeps no other waiting, and is tried again after a while, since trying takes the gateway's time.
    mutating func prepare(for channel: String, tell: (String) -> Void) -> Bool {
        let ways = Self.ways(of: channel).filter { providers[$0] != nil }
        for way in ways where resting[way].map({ MonotonicClock.seconds >= $0.until }) ?? true {
            do {
                try providers[way]?.prepare()
                resting[way] = nil
            } catch {
                tell("\(way): \(error)")
                resting[way] = ("\(error)", MonotonicClock.seconds + Self.rest)
            }
        }
        return ways.isEmpty || ways.contains { resting[$0] == nil }
    }

    /// Whether there is a way for messages of that channel.
    public func serve(_ channel: String) -> Bool {
        if isLogged(channel) || providers[nil] != nil { return true }
        return Self.ways(of: channel).contains { providers[$0] != nil }
    }

    private static func ways(of channel: String) -> [String] {
        channel == "push" ? ["push", "fcm", "apns"] : [channel]
    }

    private func isLogged(_ channel: String) -> Bool { logged.contains(channel) || logged.contains(nil) }

    func log(_ message: Claimed) -> Verdict {
        var line = message.json[...] + Array("\n".utf8)
        while !line.isEmpty {
            let written = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard written > 0 else { return .later("standard output takes nothing") }
            line = line.dropFirst(written)
        }
        return .done
    }
}

extension Outlets {
    /// The URL, unless messages would be read on the way there.
    private func guarded(_ url: String) throws -> String {
        guard mayBePlain || !url.hasPrefix("http://") else {
            throw GatewayError(
                "\(url) has no TLS, so that everybody on the way would read the messages: name an https:// one, or say"
                    + " --insecure-transport where nobody is on the way")
        }
        return url
    }

    /// Writes messages to standard output, a line of JSON each: those of a channel, or all.
    public mutating func addLog(for channel: String?) { logged.insert(channel) }

    /// Posts messages to the operator's own receiver: those of a channel, or all that have no way of their own.
    public mutating func addWebhook(
        _ url: String, for channel: String?, secret: () throws -> WebhookSecret
    ) throws {
        providers[channel] = Webhook(url: try guarded(url), secret: try secret())
    }

    /// Sends SMS by posting a form, as Twilio takes it.
    public mutating func addTwilio(_ base: String?, account: String, token: String, sender: String) throws {
        providers["sms"] = TextMessages(
            base: try guarded(base ?? "https://api.twilio.com"), account: account, token: token, sender: sender)
    }

    /// Sends push to Android, with the key file of a service account.
    public mutating func addFirebase(_ base: String?, credentials: [UInt8]) throws {
        providers["fcm"] = try FirebasePush(
            base: try guarded(base ?? "https://fcm.googleapis.com"), credentials: credentials, trusting: certificates,
            guarded: guarded)
    }

    /// Sends push to browsers.
    public mutating func addWebPush(_ key: PrivateKey, contact: String, hosts: Set<String>) {
        providers["webpush"] = WebPush(key: key, contact: contact, hosts: hosts)
    }

    /// Sends push to iPhones, with the key file of an Apple developer team.
    public mutating func addApple(_ base: String?, topic: String, team: String, keyID: String, key pem: String) throws {
        guard let key = PrivateKey(pem: pem), key.isElliptic else {
            throw GatewayError("the credentials are not the .p8 file of a key for APNs")
        }
        providers["apns"] = ApplePush(
            base: try guarded(base ?? "https://api.push.apple.com"), topic: topic, team: team, keyID: keyID, key: key)
    }

    /// Sends e-mail by an SMTP server, which must speak TLS, from the beginning or when it is asked to.
    public mutating func addMail(_ url: String, sender: String, login: (user: String, password: String)?) {
        providers["email"] = Mail(url: url, sender: sender, login: login, mayBePlain: mayBePlain)
    }
}
