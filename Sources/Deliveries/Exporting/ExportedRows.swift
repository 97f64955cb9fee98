import API
import Domain
import People
import Postgres

/// One kind of rows that an export has, in pages: each row has its place, by which the next page begins, and itself as JSON.
protocol ExportedRows: Sendable {
    static var name: String { get }
    /// Rows of the account `$1` after the place `$2`, which is empty at first, `$3` at most.
    static var sql: String { get }
    /// Whether what they say is sealed.
    static var isSealed: Bool { get }
}

extension ExportedRows {
    static var isSealed: Bool { false }
}

/// A page of such rows.
struct ExportPage<Rows: ExportedRows>: Statement {
    static var sql: String { Rows.sql }
    static var isReadOnly: Bool { true }
    static var most: Int32 { 200 }
    let account: ID
    let after: String

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(after)
        parameters.add(Self.most)
    }

    static func decode(_ row: inout RowReader) throws -> (place: String, json: String) {
        (try row.read(), try row.read())
    }
}

/// What the queries below have in common.
private enum ExportSQL {
    /// Where a page of rows begins that are ordered by their ids.
    static let after = "coalesce(nullif($2, '')::uuid, '00000000-0000-0000-0000-000000000000')"

    static func time(_ column: String) -> String {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }

    /// Rows with an `id` that a query has, which ends where its conditions do; `members` are pairs of names and values. Their order is
    /// that of the ids, as an index has it, and not that of the texts of them.
    static func page(_ members: String, _ query: String, id: String = "id") -> String {
        """
        SELECT \(id)::text AS place, jsonb_strip_nulls(jsonb_build_object(\(members)))::text FROM \(query) AND \(id) > \(after)
        ORDER BY \(id) LIMIT $3
        """
    }
}

enum ExportedAccount: ExportedRows {
    static let name = "account"
    static let sql = ExportSQL.page(
        """
        'id', a.id, 'kind', a.kind, 'language', a.language, 'notifications_enabled', a.notifications_enabled,
        'created_at', \(ExportSQL.time("a.created_at")), 'blocked_at', \(ExportSQL.time("a.blocked_at")),
        'erase_at', (SELECT \(ExportSQL.time("due_at")) FROM erasures WHERE account_id = a.id),
        'email', s.email, 'email_verified', s.email_verified, 'name', s.name, 'tax_id', s.tax_id, 'address', s.address,
        'first_name', c.first_name, 'last_name', c.last_name, 'phone', coalesce(s.phone, c.phone),
        'phone_verified', c.phone_verified, 'accepted', c.accepted, 'delivered', c.delivered, 'cancelled', c.cancelled,
        'declined', c.declined, 'share_position', c.share_position, 'on_duty', c.on_duty,
        'duty_until', \(ExportSQL.time("c.duty_until")), 'country', s.country, 'lat', s.lat, 'lon', s.lon,
        'picture', a.picture, 'description', a.description, 'public_profile', a.public_profile,
        'opening_hours', s.opening_hours, 'wants', s.wants, 'alert_after_minutes', s.alert_after_minutes, 'tell_recipients', s.tell_recipients,
        'offer', CASE WHEN s.turn_order IS NOT NULL THEN jsonb_build_object('order', s.turn_order, 'each_seconds', s.turn_seconds) END,
        'proof', CASE WHEN s.id IS NOT NULL THEN jsonb_build_object(
            'pin', s.proof_pin, 'photo', s.proof_photo, 'signature', s.proof_signature) END
        """, "accounts a LEFT JOIN stores s ON s.id = a.id LEFT JOIN couriers c ON c.id = a.id WHERE a.id = $1",
        id: "a.id")
}

enum ExportedSessions: ExportedRows {
    static let name = "sessions"
    static let sql = ExportSQL.page(
        """
        'id', id, 'created_at', \(ExportSQL.time("created_at")), 'used_at', \(ExportSQL.time("used_at")),
        'expires_at', \(ExportSQL.time("expires_at")), 'user_agent', user_agent, 'address', address
        """, "sessions WHERE account_id = $1")
}

enum ExportedDevices: ExportedRows {
    static let name = "devices"
    static let sql = ExportSQL.page(
        "'token', token, 'platform', platform, 'claimed_at', \(ExportSQL.time("claimed_at"))",
        "devices WHERE account_id = $1", id: "md5(token)::uuid")
}

/// From where it has signed in.
enum ExportedAddresses: ExportedRows {
    static let name = "addresses"
    static let sql = ExportSQL.page(
        "'address', address, 'used_at', \(ExportSQL.time("used_at"))",
        "used_addresses WHERE account_id = $1", id: "md5(address || agent)::uuid")
}

enum ExportedInvites: ExportedRows {
    static let name = "invites"
    static let sql = ExportSQL.page(
        """
        'id', i.id, 'state', i.state, 'channel', i.channel, 'created_at', \(ExportSQL.time("i.created_at")),
        'expires_at', \(ExportSQL.time("i.expires_at")), 'redeemed_at', \(ExportSQL.time("i.redeemed_at")),
        'phone', coalesce(i.phone, i.dialled), 'store_id', i.store_id, 'store', s.name, 'message', i.message,
        'courier_id', CASE WHEN i.dialled IS NULL OR i.state = 'redeemed' OR i.courier_id = $1 THEN i.courier_id END
        """,
        """
        (\(part("store_id = $1")) UNION \(part("courier_id = $1"))
            UNION \(part("phone = (SELECT phone FROM couriers WHERE id = $1 AND phone_verified)"))) i
        JOIN stores s ON s.id = i.store_id WHERE true
        """, id: "i.id")

    /// Each along an index of its own.
    private static func part(_ condition: String) -> String {
        "(SELECT * FROM invites WHERE \(condition) AND id > \(ExportSQL.after) ORDER BY id LIMIT $3)"
    }
}

enum ExportedPartners: ExportedRows {
    static let name = "partners"
    static let sql = """
        (SELECT c.id::text AS place, jsonb_build_object('courier_id', c.id, 'first_name', c.first_name,
                'last_name', c.last_name, 'phone', c.phone, 'since', \(ExportSQL.time("p.since")))::text
            FROM partners p JOIN couriers c ON c.id = p.courier_id WHERE p.store_id = $1 AND c.id > \(ExportSQL.after)
            ORDER BY p.courier_id LIMIT $3)
        UNION ALL
        (SELECT s.id::text, jsonb_build_object('store_id', s.id, 'name', s.name, 'address', s.address, 'phone', s.phone,
                'since', \(ExportSQL.time("p.since")))::text
            FROM partners p JOIN stores s ON s.id = p.store_id WHERE p.courier_id = $1 AND s.id > \(ExportSQL.after)
            ORDER BY p.store_id LIMIT $3)
        ORDER BY place LIMIT $3
        """
}

enum ExportedCancellations: ExportedRows {
    static let name = "cancellations"
    static let sql = ExportSQL.page(
        """
        'id', id, 'at', \(ExportSQL.time("at")), 'reason', reason, 'note', c.note, 'delivery_id', delivery_id, 'store_id', store_id,
        'contested_at', \(ExportSQL.time("r.contested_at")), 'contested_because', r.note,
        'excused_at', \(ExportSQL.time("r.excused_at"))
        """, "cancellations c LEFT JOIN cancellation_reviews r ON r.cancellation_id = c.id WHERE courier_id = $1")
}

/// What a courier got for what it delivered.
enum ExportedEarnings: ExportedRows {
    static let name = "earnings"
    static let sql = ExportSQL.page(
        """
        'delivery_id', delivery_id, 'store_id', store_id, 'at', \(ExportSQL.time("at")), 'amount', amount, 'currency', currency
        """, "earnings WHERE courier_id = $1", id: "delivery_id")
}

/// Papers, and with whom they are shared. What they say is sealed, and told to the courier alone.
enum ExportedCredentials: ExportedRows {
    static let name = "credentials"
    static let isSealed = true
    static let sql = ExportSQL.page(
        """
        'id', id, 'added_at', \(ExportSQL.time("added_at")), 'sealed', translate(encode(sealed, 'base64'), E'+/=\\n', '-_'), 'shared_with', ARRAY(
            SELECT store_id FROM credential_shares s WHERE s.courier_id = c.courier_id AND s.credential_id = c.id ORDER BY store_id)
        """, "credentials c WHERE courier_id = $1")
}

/// Where a courier is.
enum ExportedPosition: ExportedRows {
    static let name = "positions"
    static let sql = ExportSQL.page(
        """
        'at', \(ExportSQL.time("at")), 'lat', lat, 'lon', lon, 'accuracy_m', accuracy_m, 'speed_mps', speed_mps, 'heading', heading
        """, "positions WHERE courier_id = $1", id: "courier_id")
}

/// Where it has been while it carried something.
enum ExportedTrail: ExportedRows {
    static let name = "trail"
    static let sql = """
        SELECT extract(epoch FROM at)::text, jsonb_build_object(
            'at', \(ExportSQL.time("at")), 'lat', lat, 'lon', lon, 'accuracy_m', accuracy_m)::text
        FROM trails WHERE courier_id = $1 AND at > to_timestamp(coalesce(nullif($2, ''), '0')::double precision) ORDER BY at LIMIT $3
        """
}

/// What it reported of the road.
enum ExportedRoads: ExportedRows {
    static let name = "road_reports"
    static let sql = ExportSQL.page(
        """
        'id', id, 'kind', kind, 'road_type', road_type, 'title', title, 'text', text, 'road', road, 'department', department, 'lat', lat,
        'lon', lon, 'valid_from', \(ExportSQL.time("valid_from")), 'valid_until', \(ExportSQL.time("valid_until")),
        'gone_at', \(ExportSQL.time("gone_at"))
        """, "road_reports WHERE author_id = $1")
}

/// What it said of reports.
enum ExportedRoadVotes: ExportedRows {
    static let name = "road_votes"
    static let sql = """
        SELECT report_id || ' ' || vote, jsonb_build_object('report_id', report_id, 'vote', vote, 'at', \(ExportSQL.time("at")))::text
        FROM road_votes WHERE account_id = $1 AND (report_id, vote) > (
            coalesce(nullif(split_part($2, ' ', 1), '')::uuid, '00000000-0000-0000-0000-000000000000'), split_part($2, ' ', 2))
        ORDER BY report_id, vote LIMIT $3
        """
}

/// The places that it keeps.
enum ExportedPlaces: ExportedRows {
    static let name = "places"
    static let sql = ExportSQL.page(
        """
        'id', id, 'name', name, 'address', address, 'lat', lat, 'lon', lon, 'phone', phone, 'note', note, 'selected',
        EXISTS (SELECT FROM selected_places s WHERE s.account_id = p.account_id AND s.place_id = p.id)
        """, "places p WHERE account_id = $1")
}

/// With whom it speaks, and how it has that.
enum ExportedConversations: ExportedRows {
    static let name = "conversations"
    static let sql = ExportSQL.page(
        """
        'id', c.id, 'store_id', c.store_id, 'store', s.name, 'courier_id', c.courier_id,
        'courier', trim(k.first_name || ' ' || k.last_name), 'created_at', \(ExportSQL.time("c.created_at")),
        'hidden', CASE WHEN c.store_id = $1 THEN c.store_hidden ELSE c.courier_hidden END,
        'muted', CASE WHEN c.store_id = $1 THEN c.store_muted ELSE c.courier_muted END,
        'blocked', c.blocked, 'unread', CASE WHEN c.store_id = $1 THEN c.store_unread ELSE c.courier_unread END
        """,
        """
        (SELECT * FROM (\(some("store_id"))) of_store UNION ALL SELECT * FROM (\(some("courier_id"))) of_courier) c
            JOIN stores s ON s.id = c.store_id JOIN couriers k ON k.id = c.courier_id WHERE true
        """, id: "c.id")

    /// The next of an account that is on that side of them.
    private static func some(_ side: String) -> String {
        "SELECT * FROM conversations WHERE \(side) = $1 AND id > \(ExportSQL.after) ORDER BY id LIMIT $3"
    }
}

/// What was said there, by both.
enum ExportedConversationMessages: ExportedRows {
    static let name = "conversation_messages"
    static let sql = """
        WITH after AS MATERIALIZED (
            SELECT coalesce(nullif(split_part($2, '.', 1), ''), '00000000-0000-0000-0000-000000000000')::uuid AS conversation,
                'epoch'::timestamptz + coalesce(nullif(split_part($2, '.', 2), ''), '0')::bigint * interval '1 microsecond' AS at,
                coalesce(nullif(split_part($2, '.', 3), ''), '0')::integer AS seq)
        SELECT m.conversation_id || '.' || (extract(epoch FROM m.at) * 1000000)::bigint || '.' || m.seq,
            jsonb_strip_nulls(jsonb_build_object(
                'conversation_id', m.conversation_id, 'id', m.id, 'seq', m.seq, 'at', \(ExportSQL.time("m.at")),
                'from', CASE WHEN m.from_store THEN 'store' ELSE 'courier' END, 'text', m.text, 'file_id', m.file_id,
                'delivery_id', m.delivery_id, 'deleted', m.deleted))::text
        FROM after, LATERAL (
                SELECT id FROM (
                    SELECT id FROM conversations WHERE store_id = $1 UNION ALL SELECT id FROM conversations WHERE courier_id = $1) c
                WHERE id >= after.conversation ORDER BY id) c,
            LATERAL (
                SELECT * FROM conversation_messages m
                WHERE m.conversation_id = c.id AND (c.id > after.conversation OR (m.at, m.seq) > (after.at, after.seq))
                ORDER BY m.at, m.seq LIMIT $3) m
        LIMIT $3
        """
}

/// What it answers often.
enum ExportedQuickAnswers: ExportedRows {
    static let name = "quick_answers"
    static let sql = ExportSQL.page("'texts', texts", "quick_answers WHERE account_id = $1", id: "account_id")
}

/// What a store has told its couriers.
enum ExportedBulletins: ExportedRows {
    static let name = "bulletins"
    static let sql = ExportSQL.page(
        """
        'id', id, 'title', title, 'text', text, 'link', link, 'published_at', \(ExportSQL.time("published_at")), 'urgent', urgent
        """, "bulletins WHERE store_id = $1")
}

/// What is in its feed. Deliveries are told as they are now, and by themselves.
enum ExportedEvents: ExportedRows {
    static let name = "events"
    static let sql = """
        SELECT (extract(epoch FROM numbered_at) * 1000)::bigint || '.' || number, jsonb_strip_nulls(jsonb_build_object(
            'number', number, 'type', type, 'at', \(ExportSQL.time("at")), 'delivery_id', delivery_id, 'seq', seq,
            'data', data))::text
        FROM events
        WHERE account_id = $1 AND numbered_at >= \(since) AND (numbered_at, number) > (\(since), \(number))
        ORDER BY numbered_at, number LIMIT $3
        """
    private static let since =
        "'epoch'::timestamptz + coalesce(nullif(split_part($2, '.', 1), ''), '0')::bigint * interval '1 millisecond'"
    private static let number = "coalesce(nullif(split_part($2, '.', 2), ''), '0')::bigint"
}

/// What was sent to it, without codes; and to a courier without what it told of deliveries that it sees no more.
enum ExportedMessages: ExportedRows {
    static let name = "messages"
    static let sql = ExportSQL.page(
        """
        'id', m.id, 'kind', m.kind, 'channel', m.channel, 'address', m.address, 'created_at', \(ExportSQL.time("m.created_at")),
        'subject', m.subject, 'title', CASE WHEN \(isSeen) THEN \(withoutCode("m.title")) END,
        'body', CASE WHEN \(isSeen) THEN \(withoutCode("m.body")) END
        """, "messages m WHERE m.account_id = $1", id: "m.id")

    private static func withoutCode(_ text: String) -> String {
        "replace(replace(\(text), coalesce(m.data->>'url', ''), '…'), coalesce(m.data->>'code', ''), '…')"
    }

    private static let isSeen = """
        (NOT m.data ? 'delivery_id' OR EXISTS (SELECT FROM stores WHERE id = $1)
            OR EXISTS (SELECT FROM (VALUES \(DeliveryStatus.rows { $0 != .cancelled })) AS kept(status), LATERAL (
                SELECT FROM jobs j JOIN partners p ON p.store_id = j.store_id AND p.courier_id = j.courier_id
                WHERE j.courier_id = $1 AND j.status = kept.status AND j.delivery_id = m.subject AND j.until IS NULL
                    AND \(SeeingSQL.shows("j.status")) OFFSET 0) job))
        """
}

enum ExportedSecurity: ExportedRows {
    static let name = "security"
    static let sql = ExportSQL.page(
        "'id', id, 'at', \(ExportSQL.time("at")), 'kind', kind, 'address', address, 'count', count",
        """
        ((SELECT id, at, kind, address, count FROM audit WHERE account_id = $1 AND id > \(ExportSQL.after)
                ORDER BY id LIMIT $3)
            UNION ALL
            (SELECT id, at, kind, nullif(address, ''), count FROM audit_failures WHERE account_id = $1)) noted WHERE true
        """)
}
