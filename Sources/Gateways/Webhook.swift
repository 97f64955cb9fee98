import Crypto
import Curl
import Glibc

/// The operator's own receiver, by the convention of Standard Webhooks.
struct Webhook: Provider {
    let url: String
    let secret: WebhookSecret

    func transfer(of message: Claimed) -> Transfer {
        let body = message.json
        var transfer = Transfer(url, body)
        let timestamp = String(time(nil))
        transfer.headers = [
            ("Content-Type", "application/json"), ("User-Agent", "Kurir"),
            // The id is the same at every try, so that a receiver knows what it has had.
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

/// The secret that signs a webhook's messages. Its receiver knows it, too.
public struct WebhookSecret: Sendable {
    private let key: [UInt8]

    /// Reads `whsec_` and base64; nil when it is anything else, or so short that it could be guessed.
    public init?(_ text: String) {
        guard text.hasPrefix("whsec_"), let key = Base64.decode(String(text.dropFirst(6))),
            (24...64).contains(key.count)
        else { return nil }
        self.key = key
    }

    /// The secret that a server has while nobody sets another.
    public init(of server: ServerSecret) { key = server.key(for: "webhooks") }

    /// The secret's text, which its receiver needs.
    public var text: String { "whsec_" + Base64.encode(key) }

    func sign(id: String, timestamp: String, _ body: [UInt8]) -> String {
        "v1," + Base64.encode(HMAC.sha256(key: key, Array("\(id).\(timestamp).".utf8) + body))
    }
}
