import Domain
import HTTP
import Postgres

/// A message to one account about a step of a delivery.
struct Notice: Sendable {
    let account: ID
    let message: Message
    /// Whether it goes as SMS to a courier who has notifications on but no device.
    let reachesBySMS: Bool
}

extension StoredDelivery {
    /// The messages that a change brings: one text for all who are told the same.
    func notices(of change: Change) -> [Notice] {
        var messages: [NotificationKind: Message] = [:]
        return change.notices.map { account, kind in
            let message = messages[kind] ?? message(kind, change)
            messages[kind] = message
            // Whoever carries the parcel must know.
            return Notice(account: account, message: message, reachesBySMS: kind == .deliveryCancelled)
        }
    }

    private func message(_ kind: NotificationKind, _ change: Change) -> Message {
        var arguments = ["store": store.name, "address": change.after.content.recipient.address]
        arguments["reference"] = change.after.content.reference
        arguments["courier"] = change.command.actorKind == .courier ? reader?.name : nil
        arguments["reason"] = change.command.reason
        var data: [String: JSON] = [
            "delivery_id": .string(delivery.id.description), "store_id": .string(store.id.description),
            "store_name": .string(store.name), "seq": .integer(Int(change.after.version)),
        ]
        data["reference"] = change.after.content.reference.map(JSON.string)
        if change.command.actorKind == .courier, let reader {
            data["courier_id"] = .string(reader.id.description)
            data["courier_name"] = .string(reader.name)
        }
        return Message(kind, arguments, data: data)
    }
}
