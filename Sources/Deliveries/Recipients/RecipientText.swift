import API
import Domain
import HTTP
import Outbox
import People
import Postgres

/// What the commit of a step does about SMS to the recipient: one that waits is taken back, and one is written if the step is to
/// be told.
package struct RecipientText: Sendable {
    fileprivate let members: [String: JSON]

    /// As the database takes it.
    var json: JSONB { JSONB(utf8: JSON.object(members).bytes) }

    /// For how long news are news.
    fileprivate static let worth: Int64 = 12 * 3_600_000_000
}

extension StoredDelivery {
    /// What the step does about SMS to its recipient; nil where that gets none. Of some steps it is told, by one of `links`.
    func recipientText(of change: Change, _ links: TrackingLinks?) -> RecipientText? {
        guard let link = recipientLink, let before = change.before, before.content.recipient.phone != nil else {
            return nil
        }
        let phone = change.after.content.recipient.phone
        switch change.command.action {
        case .create, .accept, .decline, .offer: return nil
        case .edit: return phone == before.content.recipient.phone ? nil : RecipientText(members: [:])
        default: break
        }
        guard let phone, let what = RecipientNews(change.command.action), let links else {
            return RecipientText(members: [:])
        }
        let token = links.token(of: delivery.id, link: link)
        let url = links.url(token)
        let message = Message(
            .recipientTracking, ["store": store.name, "url": url], because: what,
            data: [
                "delivery_id": .string(delivery.id.description), "store_id": .string(store.id.description),
                "url": .string(url), "seq": .integer(Int(change.after.version)), "link_number": .integer(Int(link)),
            ])
        var notice = message.notice
        notice["phone"] = .string(phone.e164)
        notice["subject"] = .string(delivery.id.description)
        notice["cause"] = .string("stranger")
        notice["expires_at"] = .string(Timestamp(microseconds: times.updated.microseconds + RecipientText.worth).text)
        return RecipientText(members: [
            "link": .integer(Int(link)), "token_hash": .string(Self.hex(links.hash(token))), "notice": .object(notice),
        ])
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
