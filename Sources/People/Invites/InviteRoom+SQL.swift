import Feed
import API
import Outbox
import Domain
import HTTP
import Postgres

/// An invite as the store that made it sees it.
struct MadeInvite: Sendable {
    let id: ID
    let channel: String
    let expiresAt: Timestamp
    let isNew: Bool
    /// Whether somebody sends what goes by that channel, to one of this courier's devices if it is push.
    let isLive: Bool
}

/// Makes an invite and its message, unless the store has a live one for the same courier or number, or the courier is
/// its partner already.
///
/// A number that nobody has proven is nobody's: whoever gets its SMS has the code, and no device is told. But a store that has a
/// partner with that number needs no other. A store whose own
/// address is not proven, and a courier whose number is not, send and get no SMS. A number that no SMS may go to, or that was
/// invited by SMS today, is sent nothing: the store passes the link on.
///
/// Who is off, or is being taken off, makes and gets none.
///
/// The unique indexes on open invites decide between two that are made at once. The loser gets no invite at all.
struct MakeInvite: Statement {
    static let sql = """
        WITH sender AS MATERIALIZED (SELECT email_verified FROM stores WHERE id = $1 AND NOT off FOR KEY SHARE),
        target AS (SELECT id, phone, phone_verified FROM couriers WHERE (id = $2 OR phone = $3 AND phone_verified) AND NOT off),
        same AS (
            SELECT id, expires_at > now() AS is_live FROM invites
            WHERE store_id = $1 AND state = 'open' AND (
                courier_id = (SELECT id FROM target) OR phone = coalesce($3, (SELECT phone FROM target WHERE phone_verified)))),
        lapsed AS (
            UPDATE invites SET state = 'expired' WHERE id IN (SELECT id FROM same WHERE NOT is_live) RETURNING id),
        partner AS (
            SELECT FROM (
                SELECT id FROM target UNION ALL SELECT id FROM couriers WHERE phone = $3 AND NOT phone_verified) known,
                LATERAL (SELECT FROM partners p WHERE p.store_id = $1 AND p.courier_id = known.id OFFSET 0) p),
        wanted AS MATERIALIZED (
            SELECT coalesce((SELECT phone FROM target), $3) AS phone, EXISTS (
                    SELECT FROM message_routes WHERE account_id = (SELECT id FROM target) AND channel = 'push') AS by_push,
                email_verified
                    AND (SELECT phone_verified FROM target) IS NOT FALSE AS may_send
            FROM sender WHERE (SELECT count(*) FROM lapsed) >= 0 AND NOT EXISTS (SELECT FROM partner)
                AND NOT EXISTS (SELECT FROM same WHERE is_live) AND ($2 IS NULL OR EXISTS (SELECT FROM target))),
        route AS MATERIALIZED (
            SELECT CASE WHEN by_push THEN 'push' WHEN may_send AND phone IS NOT NULL AND invite_by_sms(phone) THEN 'sms'
                ELSE 'link' END AS channel FROM wanted),
        made AS (
            INSERT INTO invites (id, store_id, courier_id, phone, dialled, code_hash, channel, expires_at, message)
            SELECT $4, $1, (SELECT id FROM target), CASE WHEN NOT EXISTS (SELECT FROM target) THEN $3 END,
                CASE WHEN EXISTS (SELECT FROM target) THEN $3 END, $5, channel, now() + interval '7 days', $8
            FROM route
            ON CONFLICT DO NOTHING
            RETURNING id, channel, expires_at, courier_id, phone),
        published AS (
            \(Publish.sql("""
                SELECT ARRAY[courier_id], '{invite.received}'::text[],
                    ($7->'data') - '{code,url,type}'::text[] || jsonb_build_object('message', $8)
                FROM made WHERE courier_id IS NOT NULL
                """))),
        told AS (
            \(Tell.sql("""
                SELECT jsonb_build_array($7 || jsonb_build_object(
                    'accounts', CASE WHEN courier_id IS NOT NULL THEN ARRAY[courier_id] END, 'phone', phone, 'language', $6,
                    'subject', id, 'expires_at', expires_at, 'cause', 'asked')) AS notices
                FROM made WHERE channel <> 'link'
                """)))
        SELECT $2 IS NULL OR EXISTS (SELECT FROM target), EXISTS (SELECT FROM partner), i.id, i.channel, i.expires_at,
            i.is_new, \(isLive(to: "(SELECT id FROM target)"))
        FROM (SELECT) one LEFT JOIN (
            SELECT id, channel, expires_at, true AS is_new FROM made
            UNION ALL
            SELECT invites.id, channel, expires_at, false FROM invites JOIN same USING (id) WHERE is_live
            LIMIT 1) i ON true
        """

    /// Whether somebody sends what goes by the channel of the invite `i`, to one of this courier's devices if it is push.
    static func isLive(to courier: String) -> String {
        """
        CASE i.channel WHEN 'link' THEN false WHEN 'push' THEN EXISTS (
                SELECT FROM devices d WHERE d.account_id = \(courier) AND (
                    lane_is_live(lane_of('push', d.platform)) OR d.platform = 'webpush' AND lane_is_live('push')) OFFSET 0)
            ELSE lane_is_live(i.channel::message_channel) END
        """
    }

    private let caller: Caller
    private let form: InviteForm
    private let id = ID.new()
    private let codeHash: [UInt8]
    private let message: Message

    init(_ caller: Caller, _ form: InviteForm, named store: String, codes: InviteCodes) {
        self.caller = caller
        self.form = form
        let code = codes.code(of: id)
        codeHash = codes.hash(code)
        let url = codes.url(code)
        var arguments = ["store": store, "code": code.shown, "url": url]
        arguments["message"] = form.message
        message = Message(
            .invite, arguments,
            data: [
                "invite_id": .string(id.description), "code": .string(code.shown), "url": .string(url),
                "store_id": .string(caller.account.description), "store_name": .string(store),
            ])
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(caller.account)
        parameters.add(form.courier)
        parameters.add(form.phone?.e164)
        parameters.add(id)
        parameters.add(Bytes(codeHash))
        parameters.add(caller.language.rawValue)
        parameters.add(message.parameter)
        parameters.add(form.message)
    }

    static func decode(_ row: inout RowReader) throws -> (isKnown: Bool, isPartner: Bool, invite: MadeInvite?) {
        let (isKnown, isPartner): (Bool, Bool) = (try row.read(), try row.read())
        guard let id: ID = try row.read() else { return (isKnown, isPartner, nil) }
        let invite = MadeInvite(
            id: id, channel: try row.read(), expiresAt: try row.read(), isNew: try row.read(),
            isLive: try row.read())
        return (isKnown, isPartner, invite)
    }
}

/// Takes an open invite back, and its message if nobody has it yet; says what became of the invite. There is no row if
/// the store has no such invite.
struct RevokeInvite: Statement {
    static let sql = """
        WITH revoked AS (
            UPDATE invites SET state = CASE WHEN expires_at > now() THEN 'revoked' ELSE 'expired' END
            WHERE id = $2 AND store_id = $1 AND state = 'open' RETURNING id, state),
        untrue AS MATERIALIZED (SELECT withdraw('invite', ARRAY[id]) AS withdrawn FROM revoked)
        SELECT coalesce((SELECT state FROM revoked), state)
        FROM invites WHERE id = $2 AND store_id = $1 AND (SELECT count(withdrawn) FROM untrue) >= 0
        """
    let store: ID
    let id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}
