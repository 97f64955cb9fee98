import API
import People
import Outbox
import Domain
import HTTP
import Postgres

/// A message about a step of a delivery, and whom it is for.
package struct Notice: Sendable {
    let message: Message
    var accounts: [ID]
    /// The delivery.
    let subject: ID

    /// The notices as the database takes them; nil when there are none.
    static func json(_ notices: [Notice]) -> JSONB? {
        notices.isEmpty ? nil : JSONB(utf8: JSON.array(notices.map(\.json)).bytes)
    }

    private var json: JSON {
        var json = message.notice
        json["accounts"] = .array(accounts.map { .string($0.description) })
        json["subject"] = .string(subject.description)
        return .object(json)
    }
}

extension StoredDelivery {
    /// The change that made it what it is now, to be committed with all that follows.
    func commit(
        _ change: Change, record: KeepFirstAnswer? = nil, proof: SignedProof? = nil, text: RecipientText? = nil
    ) -> Commit {
        Commit(
            change: change, at: times.updated, times: times, notices: notices(of: change), record: record,
            proof: proof, text: text ?? recipientText(of: change, nil), isHidden: isHidden)
    }

    /// The messages that a change brings. All who are told the same share one. What is hidden is offered to nobody.
    func notices(of change: Change) -> [Notice] {
        change.notices.reduce(into: [Notice]()) { notices, told in
            if isHidden, told.kind == .deliveryOffered { return }
            if let place = notices.firstIndex(where: { $0.message.kind == told.kind }) {
                notices[place].accounts.append(told.account)
            } else {
                notices.append(
                    Notice(message: message(told.kind, change), accounts: [told.account], subject: change.after.id))
            }
        }
    }

    private func message(_ kind: NotificationKind, _ change: Change) -> Message {
        var arguments = ["store": store.name, "address": change.after.content.recipient.address]
        arguments["reference"] = change.after.content.reference
        // The description also lets a courier who carries several know which one is meant.
        arguments["description"] = String(change.after.content.description.prefix(40))
        arguments["courier"] = change.command.actorKind == .courier ? reader?.name : nil
        arguments["reason"] = change.command.isOtherReason ? change.command.note : change.command.reason
        var data: [String: JSON] = [
            "delivery_id": .string(delivery.id.description), "store_id": .string(store.id.description),
            "store_name": .string(store.name), "seq": .integer(Int(change.after.version)),
        ]
        data["reference"] = change.after.content.reference.map(JSON.string)
        // The clock by which it is told is the device's own.
        let due = kind == .deliveryOffered ? change.after.content.window?.until : nil
        data["due_at"] = due.map { .string(Timestamp($0).text) }
        // The next candidates do not learn who gave it back.
        if change.command.actorKind == .courier, kind != .deliveryOffered, let reader {
            data["courier_id"] = .string(reader.id.description)
            data["courier_name"] = .string(reader.name)
        }
        return Message(kind, arguments, because: change.command.reasonWords, data: data)
    }
}

extension StepCommand {
    /// Whether its reason says nothing, so that the note has to.
    fileprivate var isOtherReason: Bool { actorKind == .courier && reason == ReturnReason.other.rawValue }

    /// Its reason, if that is one of those that have words.
    fileprivate var reasonWords: (any ReasonWords)? {
        guard actorKind == .courier, !isOtherReason, let reason else { return nil }
        return action == .fail ? FailReason(rawValue: reason) : ReturnReason(rawValue: reason)
    }
}
