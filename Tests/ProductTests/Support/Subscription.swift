import Crypto
import HTTP

/// What a browser gives of its push subscription.
enum Subscription {
    static let p256dh = Base64URL.encode(PrivateKey.onCurve().publicPoint)
    static let auth = Base64URL.encode(Array(1...16))
    static let keys: JSON = ["p256dh": .string(p256dh), "auth": .string(auth)]

    static func json(_ endpoint: String) -> JSON {
        ["platform": "webpush", "endpoint": .string(endpoint), "keys": keys]
    }
}
