import API
import Domain
import HTTP

/// How many messages of which channel a gateway wants, and for how long.
struct ClaimForm: Form {
    let channel: String
    let most: Int
    let leaseSeconds: Int
    let waitSeconds: Int

    init(_ fields: inout Fields) {
        channel = fields.choice("channel", GatewayKey.allChannels, named: "Channel")
        most = fields.number("max", 1...500)
        leaseSeconds = fields.number("lease_seconds", 5...3600)
        waitSeconds = fields.number("wait_seconds", 0...30, unless: 0)
    }
}

/// A message that a gateway holds under the lease that it was given.
struct HeldMessage: Form {
    let id: ID
    let lease: ID

    init(_ fields: inout Fields) {
        id = fields.required("id")
        lease = fields.required("lease")
    }
}

/// The messages that have arrived.
struct AckForm: Form {
    let messages: [HeldMessage]

    init(_ fields: inout Fields) {
        messages = fields.forms("messages", 1...500)
    }
}

/// The messages that a gateway wants to keep for longer.
struct ExtendForm: Form {
    let messages: [HeldMessage]
    let leaseSeconds: Int

    init(_ fields: inout Fields) {
        messages = fields.forms("messages", 1...500)
        leaseSeconds = fields.number("lease_seconds", 5...3600)
    }
}

/// The messages that have not arrived, and why.
struct NackForm: Form {
    let messages: [FailedMessage]

    init(_ fields: inout Fields) {
        messages = fields.forms("messages", 1...500)
    }
}

/// A message that has not arrived.
struct FailedMessage: Form {
    let json: JSON

    init(_ fields: inout Fields) {
        let held = HeldMessage(&fields)
        var members: [String: JSON] = [
            "id": .string(held.id.description), "lease": .string(held.lease.description),
            "reason": .string(fields.line("reason", upTo: Bounds.reason, by: Texts.paragraph)),
        ]
        members["retry_after_seconds"] = fields.optionalNumber("retry_after_seconds", 0...86_400).map(JSON.integer)
        members["permanent"] = fields.optional("permanent").map(JSON.bool)
        members["unregistered"] = fields.optional("unregistered").map(JSON.bool)
        members["opted_out"] = fields.optional("opted_out").map(JSON.bool)
        json = .object(members)
    }
}
