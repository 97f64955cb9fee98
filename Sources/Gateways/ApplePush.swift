import Crypto
import Curl
import Glibc
import HTTP

/// Push to iPhones by APNs, with token authentication.
struct ApplePush: Provider {
    let base, topic, team, keyID: String
    let key: PrivateKey
    private var access: (token: String, since: Int)?

    init(base: String, topic: String, team: String, keyID: String, key: PrivateKey) {
        (self.base, self.topic, self.team, self.keyID, self.key) = (base, topic, team, keyID, key)
    }

    /// Apple wants a token that is at most an hour old, and not a new one every few minutes.
    mutating func prepare() {
        let now = time(nil)
        if let access, now < access.since + 2400 { return }
        var claims = JSONWriter()
        claims.object { json in
            json.field("iss", team)
            json.field("iat", now)
        }
        access = (JSONWebToken.make(key, id: keyID, claims.bytes), now)
    }

    func transfer(of message: Claimed) -> Transfer {
        var json = JSONWriter()
        json.object { json in
            json.object("aps") { json in
                json.object("alert") { json in
                    json.field("title", message.title)
                    json.field("body", message.body)
                }
                json.field("sound", "default")
            }
            for field in message.fields where field.name != "aps" { json.field(name: field.name, field.text) }
        }
        var transfer = Transfer("\(base)/3/device/\(percentEncoded(message.address))", json.bytes)
        transfer.needsHTTP2 = true
        transfer.headers = [
            ("Content-Type", "application/json"), ("authorization", "bearer \(access?.token ?? "")"),
            ("apns-topic", topic), ("apns-push-type", "alert"), ("apns-id", message.id),
        ]
        return transfer
    }

    func verdict(on reply: Transfer.Reply) -> Verdict {
        switch (reply.status, reply.json?["reason"]?.text) {
        case (200, _): .done
        case (410, _): .unregistered(reply.complaint)
        // All other faults come from this gateway's settings, which somebody will put right.
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (413, _): .never(reply.complaint)
        default: reply.passing
        }
    }
}
