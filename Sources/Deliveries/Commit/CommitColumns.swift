import API
import Domain
import HTTP
import Postgres

/// The columns that committing statements are given, each as an array with a value for every change.
enum CommitColumns {
    struct Column: Sendable {
        let name: String
        let type: String
        let bind: @Sendable ([Commit], inout Parameters) -> Void
    }

    /// The columns of a step of an existing delivery.
    static let all = ofCreations + ofStepsAlone

    /// The columns of a new delivery.
    static let ofCreations: [Column] = [
        column("id", "uuid") { $0.change.after.id },
        column("store_id", "uuid") { $0.change.after.store },
        column("asked", "integer") { Int32($0.change.mustBePartners.count) },
        column("status", "text") { $0.change.after.status.rawValue },
        column("candidates", "text") { list($0.change.after.candidates) },
        column("content", "jsonb") { content($0.change) },
        column("at", "timestamptz") { $0.at },
        column("action", "text") { $0.change.command.action.rawValue },
        column("actor_kind", "text") { $0.change.command.actorKind.rawValue },
        column("actor_id", "uuid") { $0.change.command.actor },
        column("added", "text") { list($0.change.added) },
        column("opened", "text") { list($0.change.openedJobs.map(\.courier)) },
        column("readers", "text") { list($0.events.map(\.account)) },
        column("event_types", "text") { list($0.events.map(\.type.rawValue)) },
        column("notices", "jsonb") { Notice.json($0.notices) },
        column("key", "text") { $0.record?.attempt.key },
        column("fingerprint", "bytea") { $0.record.map { Bytes($0.attempt.fingerprint) } },
        column("answer_status", "smallint") { $0.record?.status },
        column("answer_headers", "text") { $0.record?.headers.joined(separator: "\n") },
        column("answer_body", "bytea") { $0.record.map { Bytes($0.body) } },
        column("extras", "jsonb") { KeptExtras.json($0.change, $0.times) },
        column("place", "bigint") { $0.times.place(of: $0.change.after) },
    ]

    private static let ofStepsAlone: [Column] = [
        column("version", "integer") { $0.change.after.version },
        column("was", "text") { $0.change.before?.status.rawValue },
        column("courier_id", "uuid") { $0.change.after.courier },
        column("declined", "text") { list($0.change.after.declined) },
        column("forfeited", "text") { list($0.change.after.forfeited) },
        column("accepted_at", "timestamptz") { $0.times.accepted },
        column("picked_up_at", "timestamptz") { $0.times.pickedUp },
        column("delivered_at", "timestamptz") { $0.times.delivered },
        column("cancelled_at", "timestamptz") { $0.times.cancelled },
        column("about", "uuid") { $0.change.command.courier },
        column("reason", "text") { $0.change.command.reason },
        column("note", "text") { $0.change.command.note },
        column("removed", "text") { list($0.change.removed) },
        column("shown", "jsonb") { shown($0.change) },
        column("earned", "jsonb") { earned($0.change) },
        column("counted_id", "uuid") { $0.change.count?.courier },
        count("more_accepted", .accepted), count("more_delivered", .delivered), count("more_cancelled", .cancelled),
        count("more_declined", .declined),
        column("is_offered_anew", "boolean") { $0.change.isOfferedAnew },
        column("closed", "text") { list($0.change.closedJobs.map(\.courier)) },
        column("kept", "text") { list($0.change.keptJobs.map(\.courier)) },
        column("until", "timestamptz") { $0.times.keptUntil(after: $0.change) },
        column("moved", "text") { list($0.change.movedJobs.map(\.courier)) },
        column("untrue", "text") { list($0.change.untrue.map(\.kind.rawValue)) },
        column("untrue_to", "text") { list($0.change.untrue.map { $0.account?.description ?? "NULL" }) },
        column("bundle", "text") { $0.proof.map { String(decoding: $0.bundle, as: UTF8.self) } },
        column("signature", "bytea") { $0.proof.map { Bytes($0.signature) } },
        column("key_id", "text") { $0.proof?.keyID },
        column("text", "jsonb") { $0.text?.json },
        column("disclosures", "text") { $0.proof.map { String(decoding: $0.disclosures, as: UTF8.self) } },
        column("texts", "bigint") { $0.proof.flatMap { $0.earlierTexts > 0 ? Int64($0.earlierTexts) : nil } },
    ]

    private static func column<V: PostgresValue>(
        _ name: String, _ type: String, _ value: @escaping @Sendable (Commit) -> V?
    ) -> Column {
        Column(name: name, type: type) { commits, parameters in
            parameters.add(arrayOf: V.postgresType, count: commits.count) { place, bytes in
                value(commits[place])?.encode(into: &bytes) != nil
            }
        }
    }

    private static func count(_ name: String, _ counter: Lifecycle.Counter) -> Column {
        column(name, "integer") { $0.change.count?[counter] }
    }

    /// What a step at the recipient's showed, and who is asked again.
    private static func shown(_ change: Change) -> JSONB? {
        let (shown, askedAgain) = (change.command.shown, change.askedAgain)
        guard shown != StepCommand.Shown() || !askedAgain.isEmpty else { return nil }
        var json = JSONWriter()
        json.object { json in
            json.field("received_by", shown.receivedBy)
            if let location = shown.location {
                json.field("lat", location.lat)
                json.field("lon", location.lon)
            }
            if let collected = shown.collected {
                json.field("cash_amount", Int(collected.amount))
                json.field("cash_currency", collected.currency)
            }
            if !askedAgain.isEmpty { json.field("asked_again", list(askedAgain)) }
            if let isPinRight = shown.isPinRight { json.field("pin_matched", isPinRight) }
            if !shown.pictures.isEmpty {
                json.array("pictures", shown.pictures) { json, picture in json.object(picture.write) }
            }
        }
        return JSONB(utf8: json.bytes)
    }

    /// What its courier gets for what is delivered.
    private static func earned(_ change: Change) -> JSONB? {
        guard change.command.action == .deliver, let pay = change.after.content.terms.pay else { return nil }
        var json = JSONWriter()
        json.object { json in
            json.field("amount", Int(pay.amount))
            json.field("currency", pay.currency)
        }
        return JSONB(utf8: json.bytes)
    }

    /// An array within an array, as text.
    private static func list(_ items: [some CustomStringConvertible]) -> String {
        "{" + items.map(\.description).joined(separator: ",") + "}"
    }

    /// The content of a delivery that is new or edited.
    private static func content(_ change: Change) -> JSONB? {
        guard change.after.content != change.before?.content else { return nil }
        let (content, recipient) = (change.after.content, change.after.content.recipient)
        var json = JSONWriter()
        json.object { json in
            json.field("first_name", recipient.firstName)
            json.field("last_name", recipient.lastName)
            json.field("address", recipient.address)
            json.field("phone", recipient.phone?.e164)
            if let location = recipient.location {
                json.field("lat", location.lat)
                json.field("lon", location.lon)
            }
            json.field("description", content.description)
            json.field("instructions", content.instructions)
            json.field("reference", content.reference)
            json.field("window_from", content.window?.from.map { Timestamp($0) })
            json.field("due_at", content.window?.until.map { Timestamp($0) })
        }
        return JSONB(utf8: json.bytes)
    }
}
