import Crypto
import EventLoop
import Gateways

/// Which messages a node sends on by itself.
struct OwnGateways: Sendable {
    /// Whether it sends push to browsers.
    let sendsWebPush: Bool
    /// The push services that may be in a network of one's own.
    let pushHosts: Set<String>
    let targets: [(channel: String, target: String)]
    let settings: GivenSettings

    private static let channels = ["push", "sms", "email"]

    init(_ settings: GivenSettings) throws {
        let given =
            try settings.value(
                .ownGateways, expected: "CHANNEL=TARGET, as in sms=twilio or webpush=off", Self.parted) ?? []
        let webPush = given.filter { $0.channel == "webpush" }.map(\.target)
        guard Set(webPush).isSubset(of: ["on", "off"]) else {
            throw UsageError("--gateway webpush=\(webPush[0]), but it can be on or off")
        }
        guard webPush.count < 2 else {
            throw UsageError("--gateway webpush= is given twice: write it once, as --gateway webpush=off")
        }
        sendsWebPush = webPush.last != "off"
        targets = given.filter { $0.channel != "webpush" }
        pushHosts = Set(
            try settings.value(.pushHosts, expected: "hosts, as in push.example,10.0.0.7") {
                GivenSettings.list($0, Self.host)
            } ?? [])
        self.settings = settings
        try tryOut()
        try refuseIdle()
    }

    /// Refuses what is wrong, before anything is started; and again what cannot be read any more, by whoever has given root up.
    func tryOut() throws {
        _ = try settings.certificates()
        guard let any = ServerSecret(SecureRandom.bytes(32)) else { return }
        _ = try outlets(signedBy: WebhookSecret(of: any))
    }

    /// The channels whose messages it sends on; none when there is nothing to do.
    var channels: [String] {
        (sendsWebPush ? ["webpush"] : [])
            + Self.channels.filter { channel in targets.contains { $0.channel == channel } }
    }

    /// Where they go, but for browsers.
    func outlets(signedBy secret: WebhookSecret) throws -> Outlets {
        var outlets = Outlets(
            trusting: try settings.certificates(), mayBePlain: try settings.has(.gatewayInsecure))
        let targeting = GatewayTargets(settings: settings, option: .ownGateways) { secret }
        for (channel, target) in targets { try targeting.add(target, for: channel, to: &outlets) }
        return outlets
    }

    /// A name or an address alone: a URL, or a port, would never be met.
    private static func host(_ text: String) -> String? {
        let host = text.filter { !"[]".contains($0) }.lowercased()
        return host.isEmpty || host.contains("/") || host.count(where: { $0 == ":" }) == 1 ? nil : host
    }

    /// A comma ends a target only where another channel follows, since URLs have commas, too.
    private static func parted(_ text: String) -> [(channel: String, target: String)]? {
        var found: [(channel: String, target: String)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1).map { String($0).filter { $0 != " " } }
            if sides.count == 2, (channels + ["webpush"]).contains(sides[0]) {
                found.append((sides[0], sides[1]))
            } else if found.isEmpty {
                return nil
            } else {
                found[found.count - 1].target += "," + part
            }
        }
        return found
    }
}

/// The gateway within `serve`, at work on a thread of its own.
final class OwnGateway: Sendable {
    private let bell: GatewayBell
    private let isToStop = Locked(false)
    private let thread: BlockingPool

    /// Begins to send on. It finishes within `grace` seconds of being stopped.
    init(
        _ channels: [String], to outlets: Outlets, database url: String, grace: Int, bell: GatewayBell,
        tell: @escaping @Sendable (String) -> Void
    ) throws {
        self.bell = bell
        thread = try BlockingPool(name: "gateway", threads: 1, waiting: 1)
        let isToStop = isToStop
        Task { [thread] in
            try await thread.run {
                var gateway = Gateway(
                    database: url, channels: channels, to: outlets, most: 256, grace: grace, bell: bell, tell: tell)
                gateway.run { isToStop.withLock { $0 } }
            }
        }
    }

    /// Gives back what it could not send in time.
    func stop() async {
        isToStop.withLock { $0 = true }
        bell.ring()
        await Task.detached { [thread] in thread.stop() }.value
    }
}
