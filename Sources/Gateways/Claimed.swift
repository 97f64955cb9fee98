import Curl
import HTTP

/// A message that this gateway has, for as long as its lease lasts.
public struct Claimed: Sendable {
    let id, lease: String
    let kind, channel, address: String
    let platform: String?
    let language, title, body: String
    /// What the app needs, as JSON.
    let data: String
    let attempt: Int
    let createdAt: String
    /// For how many more seconds it is worth anything; nil when nothing was said of that.
    let secondsLeft: Int?

    /// Whether it was called too long, so that its beginning has to do.
    var isCut = false

    /// Whether it goes to whatever push service a browser has.
    var isForBrowser: Bool { platform == "webpush" }

    /// The message as a receiver gets it: like a claim over HTTP, but without the lease.
    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("kind", kind)
        json.field("channel", channel)
        json.field("address", address)
        json.field("platform", platform)
        json.field("language", language)
        json.field("title", title)
        json.field("body", body)
        json.raw("data", Array(data.utf8))
        json.field("attempt", attempt)
        json.field("created_at", createdAt)
    }

    var json: [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object(write)
        return json.bytes
    }

    /// The members of `data`, each as a text.
    var fields: [(name: String, text: String)] {
        guard case .object(let members)? = JSON(Array(data.utf8)) else { return [] }
        return members.sorted { $0.key < $1.key }.map { name, value in
            (name, value.text ?? String(decoding: value.bytes, as: UTF8.self))
        }
    }
}

/// What became of a message.
enum Verdict: Error, Equatable, Sendable {
    case done
    /// Not now; perhaps after so many seconds.
    case later(String, after: Int? = nil)
    /// Too long: its beginning is sent at once.
    case tooLong(String)
    /// Never.
    case never(String)
    /// Never, and the device is gone.
    case unregistered(String)
}

/// One way out: what is sent where, and what the answer means.
protocol Provider: Sendable {
    /// Prepares what transfers need, such as an access token. Nothing is claimed while it fails.
    mutating func prepare() throws
    /// Throws a ``Verdict`` on a message that cannot be sent at all.
    func transfer(of message: Claimed) throws(Verdict) -> Transfer
    func verdict(on reply: Transfer.Reply) -> Verdict
}

extension Provider {
    mutating func prepare() {}
}

/// Why a gateway cannot work.
public struct GatewayError: Error, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension Transfer.Reply {
    /// A short text about an unwanted answer, on one line.
    var complaint: String {
        if let error { return status == 0 ? error : "\(status): \(error)" }
        let words = String(decoding: body.prefix(200), as: UTF8.self).split { $0.isWhitespace || $0 == "\0" }
        return (["\(status)"] + words).joined(separator: " ")
    }

    /// The verdict on most answers that are neither success nor about the message.
    var passing: Verdict { .later(complaint, after: retryAfter.map { min($0, 86_400) }) }

    var json: JSON? { JSON(body) }
}
