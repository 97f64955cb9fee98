import Crypto
import Glibc

/// A receiver of one's own, by the convention of Standard Webhooks.
struct Webhook: Provider {
    let url: String
    let secret: WebhookSecret

    func transfer(of message: Claimed) -> Transfer {
        let body = message.json
        var transfer = Transfer(url, body)
        let timestamp = String(time(nil))
        transfer.headers = [
            ("Content-Type", "application/json"), ("User-Agent", "Kurir"),
            // The same at every try: by it a receiver knows what it has had.
            ("webhook-id", message.id), ("webhook-timestamp", timestamp),
            ("webhook-signature", secret.sign(id: message.id, timestamp: timestamp, body)),
        ]
        return transfer
    }

    func verdict(on reply: Transfer.Reply) -> Verdict {
        switch reply.status {
        case 200..<300 where reply.error == nil: .done
        case 410: .unregistered(reply.complaint)
        default: reply.passing
        }
    }
}

/// What a webhook's messages are signed with, and its receiver knows.
public struct WebhookSecret: Sendable {
    private let key: [UInt8]

    /// Reads `whsec_` and base64; nil when it is anything else or no more than a guess long.
    public init?(_ text: String) {
        guard text.hasPrefix("whsec_"), let key = Base64.decode(String(text.dropFirst(6))),
            (24...64).contains(key.count)
        else { return nil }
        self.key = key
    }

    /// The one that a server has as long as nobody gives it another.
    public init(of server: ServerSecret) { key = server.key(for: "webhooks") }

    /// As its receiver must be told.
    public var text: String { "whsec_" + Base64.encode(key) }

    func sign(id: String, timestamp: String, _ body: [UInt8]) -> String {
        "v1," + Base64.encode(HMAC.sha256(key: key, Array("\(id).\(timestamp).".utf8) + body))
    }
}
