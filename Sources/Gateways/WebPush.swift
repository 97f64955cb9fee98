import Crypto
import Curl
import Domain
import Glibc
import HTTP

/// Push to browsers by RFC 8030: encrypted by RFC 8291, and signed by RFC 8292.
struct WebPush: Provider {
    /// How long a push service keeps what has no end of its own: as long as messages are tried.
    private static let usual = 86_400
    /// Push services keep nothing for longer than four weeks.
    private static let longest = 28 * 86_400
    /// A service that calls a message too long gets its beginning: no more than this, and no more than half of what it refused.
    private static let short = 1000

    private let key: PrivateKey
    private let contact: String
    private let hosts: Set<String>

    /// `contact` is where push services turn to: an https or mailto URL. `hosts` may be addresses of a network of one's own.
    init(key: PrivateKey, contact: String, hosts: Set<String>) {
        (self.key, self.contact, self.hosts) = (key, contact, hosts)
    }

    func transfer(of message: Claimed) throws(Verdict) -> Transfer {
        let fields = JSON(Array(message.data.utf8))
        guard let endpoint = try? PushEndpoint(message.address),
            let encryption = PushEncryption(
                p256dh: fields?["keys"]?["p256dh"]?.text ?? "", auth: fields?["keys"]?["auth"]?.text ?? "")
        else { throw .unregistered("the subscription has no endpoint or keys that could be used") }
        var payload = Self.payload(of: message, upTo: PushEncryption.most)
        if message.isCut { payload = Self.payload(of: message, upTo: min(Self.short, payload.count / 2)) }
        var transfer = Transfer(endpoint.text, encryption.encrypt(payload))
        transfer.isForStranger = !hosts.contains(endpoint.host)
        transfer.headers = [
            ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
            ("TTL", String(max(0, min(message.secondsLeft ?? Self.usual, Self.longest)))),
            ("Urgency", Self.isUrgent(message.kind) ? "high" : "normal"), ("Authorization", signature(for: endpoint)),
        ]
        // A later notice of a delivery or a conversation stands for the earlier ones: who was away needs to hear of the
        // last alone.
        if let subject = (fields?["delivery_id"] ?? fields?["conversation_id"])?.text {
            transfer.headers.append(("Topic", String(subject.filter { $0 != "-" }.prefix(32))))
        }
        return transfer
    }

    func verdict(on reply: Transfer.Reply) -> Verdict {
        switch reply.status {
        case 200..<300: .done
        case 404, 410: .unregistered(reply.complaint)
        case 413: .tooLong(reply.complaint)
        default: reply.passing
        }
    }

    private static func isUrgent(_ kind: String) -> Bool {
        switch NotificationKind(rawValue: kind) {
        case .deliveryOffered, .deliveryCancelled, .messageReceived: true
        default: false
        }
    }

    private func signature(for endpoint: PushEndpoint) -> String {
        var claims = JSONWriter()
        claims.object { json in
            json.field("aud", endpoint.origin)
            // Services take no more than a day.
            json.field("exp", time(nil) + 12 * 3600)
            json.field("sub", contact)
        }
        return "vapid t=\(JSONWebToken.make(key, claims.bytes)),k=\(Base64URL.encode(key.publicPoint))"
    }

    /// What the service worker gets. The body is cut where all of it would be too long.
    private static func payload(of message: Claimed, upTo most: Int) -> [UInt8] {
        func written(_ body: String) -> [UInt8] {
            var json = JSONWriter()
            json.object { json in
                json.field("id", message.id)
                json.field("kind", message.kind)
                json.field("language", message.language)
                json.field("title", message.title)
                json.field("body", body)
                json.object("data") { json in
                    for field in message.fields where field.name != "keys" { json.field(name: field.name, field.text) }
                }
            }
            return json.bytes
        }
        var body = message.body
        var bytes = written(body)
        while bytes.count > most, !body.isEmpty {
            // Escapes make some characters longer, so it may take some turns.
            body = String(body.dropLast(max(1, (bytes.count - most) / 6)))
            bytes = written(body.isEmpty ? "" : body + "…")
        }
        return bytes
    }
}
