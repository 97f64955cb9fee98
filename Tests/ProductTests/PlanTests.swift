import Crypto
import Domain
import EventLoop
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Bulletin
@testable import Deliveries
@testable import Feed
@testable import Figures
@testable import Outbox
@testable import Papers
@testable import People
@testable import Places
@testable import Product
@testable import Road
@testable import Talk
@testable import Weather

/// No statement that requests wait for reads more than it needs, whatever statistics the planner has.
@Suite(.database, .timeLimit(.minutes(10))) struct PlanTests {
    enum Statistics: String, CaseIterable {
        /// Gathered while everything was empty.
        case ofEmptyTables
        /// Statistics were never gathered, as after a restore.
        case none
        /// Gathered when there were a few rows, all alike.
        case ofFewRows
        case right
        /// The statistics of a database with ten million rows of everything.
        case ofTenMillion
    }

    /// Statements are planned while there is next to nothing, and used when there is much.
    @Test(arguments: Statistics.allCases) func `no statement reads more than it needs`(_ statistics: Statistics)
        async throws
    {
        try await ServedProduct.serving { api in
            for table in try await tables(api) {
                try await api.execute("ALTER TABLE \(table) SET (autovacuum_enabled = off)")
            }
            if statistics == .ofEmptyTables { try await api.execute("VACUUM ANALYZE") }
            let (store, couriers) = try await api.team(2)
            let id = try #require(ID(try await api.delivery(of: store, to: couriers)))
            try await api.put(to: ["a device"], channel: "push")
            try await api.execute(
                """
                INSERT INTO cancellations (id, courier_id, store_id, delivery_id)
                VALUES (uuid_v7(), '\(couriers[0].id)', '\(store.id)', '\(id)')
                """)
            try await api.execute("UPDATE couriers SET cancelled = 1 WHERE id = '\(couriers[0].id)'")
            if statistics == .ofFewRows { try await api.execute("ANALYZE") }
            try await DatabaseSession.with { session in
                // Nobody else numbers events from now on.
                try await session.database.run(HoldNumbering())
                let statements = try await Statements(session, store, couriers, id)
                let missing = Set(StatementTests.all.map { "\($0)" }).subtracting(statements.all.map(\.name))
                #expect(missing == Unplanned.names, "plan them, or say why not: \(missing)")
                let plans = Task(executorPreference: session.group.loops[0]) {
                    await Plans([session.database]) { _ in }.run(on: session.group.loops[0])
                }
                _ = try await statements.reads()
                try await fill(api, like: id, couriers)
                try await api.execute("UPDATE trust SET (sms_of_store, sms_to_number, sms_in_all) = (1000, 1000, 1000)")
                try await expectRows(api)
                if [.right, .ofTenMillion].contains(statistics) { try await api.execute("ANALYZE") }
                if statistics == .ofTenMillion { try await tellOfTenMillion(api) }
                var excessive: [(name: String, rows: Int)] = []
                do {
                    try await eventually {
                        excessive = try await statements.reads().filter { $0.rows > Statements.most(of: $0.name) }
                        return excessive.isEmpty
                    }
                } catch {
                    Issue.record("\(statistics): rows that were read: \(excessive), \(error)")
                }
                plans.cancel()
                await plans.value
            }
        }
    }

    /// Sixty thousand events for as many readers are numbered within the time that a statement has: each reader is
    /// looked up once, and not compared with all others.
    @Test func `numbering takes no longer for many readers`() async throws {
        try await ServedProduct.serving { api in
            try await DatabaseSession.with { session in
                try await session.database.run(HoldNumbering())
                try await api.execute(
                    """
                    INSERT INTO event_journal (accounts, types)
                    SELECT array_agg(gen_random_uuid()), array_agg('test.many'::text)
                    FROM generate_series(1, 120) entry, generate_series(1, 500) reader GROUP BY entry
                    """)
                // One more than asked for is left, since the events of one entry are numbered together.
                let most: Int32 = 59_000
                #expect(try await session.database.run(NumberEvents(most: most)) == [true])
                #expect(try await session.database.run(NumberEvents(most: most)) == [false])
                let numbered = try await api.execute(
                    "SELECT count(*), max(number) FROM events WHERE type = 'test.many'")
                #expect(numbered == [["60000", "1"]])
            }
        }
    }

    /// Half a year of forty thousand a week: page 1,000 is in another week than page 1.
    @Test func `page 1,000 of a million messages reads as much as page 1`() async throws {
        try await ServedProduct.serving { api in
            let (store, _, id) = try await api.talk()
            try await api.execute(
                """
                DO $$
                DECLARE
                    week date;
                BEGIN
                    PERFORM set_config('timezone', 'UTC', true);
                    FOR n IN 1..25 LOOP
                        week := date_trunc('week', now())::date - 7 * n;
                        EXECUTE format('CREATE TABLE %I PARTITION OF conversation_messages FOR VALUES FROM (%L) TO (%L)',
                            'conversation_messages' || to_char(week, '_YYYYMMDD'), week, week + 7);
                        INSERT INTO conversation_messages (conversation_id, at, seq, id, from_store, text)
                        SELECT '\(id)', week + k * interval '10 seconds', (25 - n) * 40000 + k, '\(id)', k % 2 = 0, 'Bok'
                        FROM generate_series(1, 40000) k;
                    END LOOP;
                END
                $$
                """)
            try await api.execute("UPDATE conversations SET last_seq = 1000000")
            let before = 1_000_000 - 999 * 50 + 1
            let found = try await api.execute(
                "SELECT (extract(epoch FROM at) * 1000000)::bigint FROM conversation_messages WHERE seq = \(before)")
            let after = [try #require(found.first?[0]), "\(before)"]
            try await DatabaseSession.with { session in
                let (account, conversation) = (try #require(ID(store.id)), try #require(ID(id)))
                let pages = try [nil, after].map {
                    try ListMessages(
                        account: account, conversation: conversation, Page(limit: 50, after: $0, list: ""))
                }
                let said = try await session.database.run(pages[1])
                #expect(said.map(\.seq) == Array((Int32(before) - 51..<Int32(before)).reversed()))
                let reads = try await Statements(session, pages.map { Statements.one($0) }).reads().map(\.rows)
                #expect(reads[0] < 300 && abs(reads[0] - reads[1]) < 10, "\(reads)")
                // Whoever reads one after the other has the rest counted once.
                let read = { Statements.one(ReadConversation(conversation: conversation, account: account, upTo: $0)) }
                try await api.execute("UPDATE conversations SET latest_at = now()")
                for place: Int32 in [1, 40_000, 500_001, 999_999] {
                    try await api.execute(
                        "UPDATE conversations SET store_read = \(place - 1), store_unread = 1000000 - \(place)")
                    let reads = try await Statements(session, [read(place)]).reads().map(\.rows)
                    #expect(reads[0] < 500, "\(place): \(reads)")
                }
            }
        }
    }

    private func tables(_ api: ServedProduct, _ which: String = "relkind = 'r'") async throws -> [String] {
        try await api.execute(
            "SELECT relname FROM pg_class WHERE \(which) AND relnamespace = current_schema()::regnamespace"
        ).compactMap { $0[0] }
    }

    /// Every table has so many rows that reading all of them is noticed, except those that are always small.
    private func expectRows(_ api: ServedProduct) async throws {
        let small: Set = [
            "area_days", "area_marks", "audit_failures", "channel_claims", "country_zones", "erasures",
            "event_cursors_before", "event_rounds", "events_kept",
            "gateway_keys",
            "housekeeping",
            "message_counts",
            "messages_done",
            "partnership_endings", "schema_backfills", "schema_functions", "schema_indexes", "schema_least",
            "schema_migrations", "server_keys", "server_secret", "trust",
        ]
        var empty: Set<String> = []
        for table in try await tables(api, "relkind IN ('r', 'p') AND NOT relispartition") {
            let rows = try await api.execute("SELECT count(*) FROM (SELECT FROM \(table) LIMIT 2000) found")
            if Int(rows[0][0] ?? "") ?? 0 < 2000 { empty.insert(table) }
        }
        #expect(empty == small, "fill them, or say that they stay small: \(empty.symmetricDifference(small))")
    }

    /// The planner estimates rows by a table's pages and by the statistics of how many rows a page holds.
    private func tellOfTenMillion(_ api: ServedProduct) async throws {
        try await api.execute(
            """
            UPDATE pg_class SET relpages = greatest(pg_relation_size(oid) / current_setting('block_size')::integer, 1),
                reltuples = 10000000
            WHERE relkind IN ('r', 'i') AND relnamespace = current_schema()::regnamespace
            """)
    }

    /// Twenty thousand rows of the largest tables, and some thousands of the others.
    private func fill(_ api: ServedProduct, like id: ID, _ couriers: [Person]) async throws {
        let number = "('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid"
        for sql in [
            """
            INSERT INTO accounts (id, kind, password_hash, language)
            SELECT \(number), 'courier', '$scrypt$none', 'hr' FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO couriers (id, first_name, last_name, phone)
            SELECT \(number), 'Ana' || n, 'Anić' || n, '+38590' || 20000000 + n FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO partners (store_id, courier_id)
            SELECT store_id, \(number) FROM deliveries, generate_series(1, 2000) n
            """,
            """
            INSERT INTO accounts (id, kind, password_hash, language)
            SELECT ('00000000-0000-7000-9000-' || n)::uuid, 'store', '$scrypt$none', 'hr'
            FROM generate_series(155500000000, 155500030000) n WHERE is_oib(right(n::text, 11))
            """,
            """
            INSERT INTO stores (id, email, tax_id, name, address, phone)
            SELECT id, 'a' || right(id::text, 11) || '@b.example', right(id::text, 11), 'Pekara', 'Ilica', '+385911234567'
            FROM accounts WHERE id::text LIKE '00000000-0000-7000-9000-%'
            """,
            """
            INSERT INTO cancellations (id, courier_id, store_id, delivery_id)
            SELECT \(number), \(number), store_id, id FROM deliveries, generate_series(1, 2000) n
            """,
            """
            INSERT INTO cancellation_reviews (cancellation_id, excused_at)
            SELECT \(number), now() FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO password_resets (account_id, code_hash, tries_left, expires_at)
            SELECT \(number), sha256(''), 3, now() + interval '1 hour' FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO reset_codes (id, account_id, code_hash, tries_left, expires_at)
            SELECT \(number), \(number), sha256(''), 3, now() + interval '1 hour' FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO reset_guesses (account_id, count, since) SELECT \(number), 1, now() FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO confirmations (account_id, place, code_hash, tries_left, expires_at)
            SELECT \(number), '+385911234567', sha256(''), 3, now() + interval '1 hour' FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO former_places (token_hash, account_id, place, expires_at)
            SELECT sha256(n::text::bytea), \(number), '+385911234567', now() + interval '1 hour' FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO used_addresses (account_id, address, agent)
            SELECT \(number), '127.0.0.1', n FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO invited_numbers (phone, invited_at)
            SELECT '+38590' || 20000000 + n, now() FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
            SELECT \(number), \(number), sha256(n::text::bytea), now() + interval '1 day', '127.0.0.1'
            FROM generate_series(1, 20000) n
            """,
            "INSERT INTO gathered_mails (account_id, next_at) SELECT \(number), now() FROM generate_series(1, 2000) n",
            """
            INSERT INTO offer_texts (courier_id, store_id, due_at)
            SELECT \(number), \(number), now() + interval '1 hour' FROM generate_series(1, 2000) n
            """,
            "INSERT INTO sms_stops (phone) SELECT '+38590' || 20000000 + n FROM generate_series(1, 20000) n",
            """
            INSERT INTO sms_budgets (kind, subject, drained_at)
            SELECT 'stranger', sha256(n::text::bytea), now() FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO devices (token, account_id, platform)
            SELECT n, \(number), 'fcm' FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO invites (id, store_id, courier_id, code_hash, channel, state, expires_at)
            SELECT \(number), store_id, \(number), sha256(n::text::bytea), 'push', 'revoked', now()
            FROM deliveries, generate_series(1, 20000) n
            """,
            """
            UPDATE invites SET state = 'redeemed', redeemed_by = courier_id, redeemed_at = now() WHERE right(id::text, 1) = '0'
            """,
            """
            INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name,
                recipient_last_name, recipient_address, description, reference, created_at, updated_at, accepted_at,
                delivered_at, alert_at, late_at)
            SELECT \(number), store_id, CASE WHEN n % 10 = 0 THEN 'pending' ELSE 'delivered' END::delivery_status, 1,
                CASE WHEN n % 10 > 0 THEN candidates[1] END, candidates, 'Iva', 'Ivić', 'Ilica ' || n, 'Torta', 'R' || n,
                now(), now(), CASE WHEN n % 10 > 0 THEN now() END, CASE WHEN n % 10 > 0 THEN now() END,
                now() + interval '1 hour', now() + interval '1 hour'
            FROM deliveries d, generate_series(1, 20000) n WHERE d.id = '\(id)'
            """,
            "INSERT INTO jobs SELECT candidates[1], status, id, store_id FROM deliveries WHERE id <> '\(id)'",
            """
            INSERT INTO delivery_extras (delivery_id, pieces, wants_photo, wants_signature, attempts, cancel_is_free, is_held,
                waiting, uncounted, counted)
            SELECT id, 2, false, false, 0, false, false, '{}', '{}', '{}' FROM deliveries WHERE id <> '\(id)'
            """,
            "INSERT INTO trackings (delivery_id, token_hash) SELECT id, sha256(id::text::bytea) FROM deliveries",
            """
            INSERT INTO earnings SELECT id, courier_id, store_id, delivered_at - interval '1 year', 1, 'EUR' FROM deliveries
            WHERE status = 'delivered'
            """,
            "INSERT INTO pin_tries SELECT id, now(), 1, now() FROM deliveries WHERE id <> '\(id)'",
            """
            INSERT INTO delivery_history (delivery_id, seq, action, actor_kind, actor_id, status, at)
            SELECT id, 1, 'create', 'store', store_id, 'pending', now() FROM deliveries WHERE id <> '\(id)'
            """,
            """
            INSERT INTO files (id, account_id, type, sha256, width, height, bytes, delivery_id, seq)
            SELECT uuid_v7(), candidates[1], 'image/jpeg', sha256(''), 1, 1, 1, id, 1 FROM deliveries
            """,
            """
            INSERT INTO positions (courier_id, at, lat, lon, accuracy_m)
            SELECT \(number), now(), 45, 16, 5 FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO trails (courier_id, at, lat, lon, accuracy_m)
            SELECT \(number), now(), 45, 16, 5 FROM generate_series(1, 20000) n
            """,
            "INSERT INTO nearby_told (delivery_id, carry) SELECT id, now() FROM deliveries WHERE id <> '\(id)'",
            "INSERT INTO file_removals SELECT id, now() + interval '1 day' FROM files",
            "INSERT INTO file_pieces (file_id, is_small, number, bytes) SELECT id, false, 0, 'x' FROM files",
            """
            INSERT INTO proofs (delivery_id, seq, bundle, signature, key_id, disclosures)
            SELECT id, 1, '{}', decode(repeat('00', 64), 'hex'), '', '{}' FROM deliveries
            """,
            """
            INSERT INTO events (account_id, numbered_at, number, type, delivery_id, seq, at)
            SELECT store_id, coalesce((SELECT max(numbered_at) FROM events), now() - interval '1 minute'),
                10 + row_number() OVER (), 'delivery.created', id, 1, now() FROM deliveries WHERE id <> '\(id)'
            """,
            """
            INSERT INTO event_journal (accounts, types, delivery_id, seq)
            SELECT ARRAY[store_id], ARRAY['delivery.created'], id, 1 FROM deliveries WHERE id <> '\(id)'
            """,
            """
            INSERT INTO messages (kind, channel, address, platform, language, title, body, data, account_id, subject)
            SELECT 'delivery_offered', 'push', 'device ' || id, 'fcm', 'hr', 'Dostava', 'Ilica', '{}', candidates[1], id
            FROM deliveries WHERE id <> '\(id)'
            """,
            """
            INSERT INTO messages_dead (id, created_at, channel, attempt, reason)
            SELECT \(number), now(), 'push', 9, 'gone' FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO feed_ends (account_id, number, numbered_at)
            SELECT \(number), 1, now() FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO audit (kind, account_id)
            SELECT 'session.created', account_id FROM sessions, generate_series(1, 2) n
            """,
            """
            INSERT INTO throttles (subject, drained_at)
            SELECT sha256(n::text::bytea), now() + interval '1 hour' FROM generate_series(1, 2000) n
            """,
            """
            INSERT INTO seats (holder, number, id, node)
            SELECT \(number), 1, \(number), 2 FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO deadlines (kind, subject, due_at)
            SELECT 'one', id, now() + interval '1 hour' FROM deliveries
            """,
            """
            INSERT INTO places (account_id, id, rank, name, address, sameness, words)
            SELECT account, uuid_v7(), n, 'Ured', 'Ilica ' || n, sha256(n::text::bytea), place_words('Ured', 'Ilica ' || n, NULL)
            FROM (
                SELECT candidates[1] AS account, generate_series(1, 300) AS n FROM deliveries WHERE id = '\(id)'
                UNION ALL SELECT \(number), 1 FROM generate_series(1, 3000) n) kept
            """,
            """
            INSERT INTO credentials (courier_id, id, sameness, sealed)
            SELECT id, uuid_v7(), sha256(n::text::bytea), sha256('sealed') FROM couriers, generate_series(1, 10) n
            """,
            """
            INSERT INTO credential_shares SELECT p.store_id, p.courier_id, c.id
            FROM partners p JOIN credentials c USING (courier_id)
            """,
            // One conversation with twenty thousand messages, and as many with others.
            """
            INSERT INTO accounts (id, kind, password_hash, language)
            SELECT first_uuid(now() - n * interval '1 second'), 'courier', '$scrypt$nobody', 'en' FROM generate_series(1, 3000) n
            """,
            """
            INSERT INTO couriers (id, first_name, last_name, phone_verified)
            SELECT id, 'Ivo', 'Ivić', false FROM accounts a WHERE kind = 'courier' AND NOT EXISTS (SELECT FROM couriers k WHERE k.id = a.id)
            """,
            """
            INSERT INTO conversations (id, store_id, courier_id, is_open, last_seq, latest_at, store_unread)
            SELECT uuid_v7(), d.store_id, k.id, true, 1, now(), 1 FROM deliveries d, couriers k
            WHERE d.id = '\(id)' AND k.first_name = 'Ivo'
            ON CONFLICT DO NOTHING
            """,
            """
            INSERT INTO conversation_messages (conversation_id, at, seq, id, from_store, text)
            SELECT c.id, date_trunc('week', now(), 'UTC') + n * interval '1 second', n, gen_random_uuid(), n % 2 = 0, 'Bok'
            FROM conversations c, generate_series(1, 20000) n
            WHERE c.courier_id = (SELECT candidates[1] FROM deliveries WHERE id = '\(id)')
            """,
            // The courier has read half of them.
            """
            UPDATE conversations SET last_seq = 20000, latest_at = date_trunc('week', now(), 'UTC') + interval '20000 seconds',
                courier_read = 10000, courier_unread = 5000
            WHERE id IN (SELECT conversation_id FROM conversation_messages)
            """,
            "INSERT INTO quick_answers SELECT id, '{Bok}' FROM accounts ON CONFLICT DO NOTHING",
            """
            INSERT INTO road_reports (id, kind, road_type, title, lat, lon, author_id, valid_from, valid_until, is_listed)
            SELECT uuid_v7(), 'roadworks', 'city', 'Kopaju', 40 + n % 1000 * 0.01, 10 + n / 1000 * 0.1,
                (SELECT candidates[1] FROM deliveries WHERE id = '\(id)'), now() - interval '2 days',
                now() + CASE n % 10 WHEN 0 THEN interval '1 hour' ELSE interval '-1 hour' END, n % 5 = 0
            FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO road_votes (report_id, account_id, vote) SELECT id, \(number), 'gone'
            FROM (SELECT id, row_number() OVER () AS n FROM road_reports) r
            """,
            """
            INSERT INTO weather (lat, lon, asked_at) SELECT n % 100, n / 100, now() - interval '1 hour' FROM generate_series(1, 20000) n
            """,
            "INSERT INTO selected_places SELECT DISTINCT ON (account_id) account_id, id FROM places",
            """
            INSERT INTO bulletins (id, store_id, source, category, title, text, link, published_at, day)
            SELECT uuid_v7(), CASE WHEN n % 2 = 0 THEN store_id END, CASE n % 2 WHEN 0 THEN '' ELSE 'HAK' END,
                CASE n % 2 WHEN 0 THEN 'store' ELSE 'news' END, 'Vijest ' || n, '', 'https://hak.hr/' || n,
                now() - make_interval(mins => n), current_date
            FROM deliveries, generate_series(1, 20000) n WHERE id = '\(id)'
            """,
            """
            INSERT INTO bulletin_counts (store_id, count) SELECT \(number), 1 FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO bulletin_days (store_id, day, posts, urgent)
            SELECT \(number), current_date, 1, false FROM generate_series(1, 20000) n
            """,
            """
            INSERT INTO idempotency_keys (account_id, key, fingerprint, status, headers, body)
            SELECT store_id, id::text, sha256(''), 201, '{}', '' FROM deliveries
            """,
        ] {
            try await api.execute(sql)
        }
    }
}

/// The usual statements of requests.
private struct Statements: Sendable {
    /// How many rows and index entries one may read: two pages of a list, with what belongs to each row.
    private static let most = 1500
    /// A walk looks at two thousand partners at most, of whom there are many more, and at what each has; or at five hundred
    /// conversations, and whom each is with. Here one store has all conversations: where the planner knows that, it looks for
    /// those of a courier among all.
    private static let walks = [
        "ListPositions": 12_000, "SearchConversations": 2500, "ExportPage<ExportedConversationMessages>": 7000,
        // The latest deliveries are looked for among the latest of each way to stand.
        "WalkRecipients": 3000,
        // All of a store's partners have a rank, and what it told its couriers, some a day, is exported in another order than it is
        // listed.
        "RankPartners": 25_000, "ExportPage<ExportedBulletins>": 25_000,
    ]

    static func most(of statement: String) -> Int { walks[statement] ?? most }

    let session: DatabaseSession
    let all: [(name: String, run: @Sendable (Transaction) async throws -> Void)]

    init(_ session: DatabaseSession, _ all: [(name: String, run: @Sendable (Transaction) async throws -> Void)]) {
        (self.session, self.all) = (session, all)
    }

    init(_ session: DatabaseSession, _ store: Person, _ couriers: [Person], _ id: ID) async throws {
        self.session = session
        let (storeID, courier) = (try #require(ID(store.id)), try #require(ID(couriers[0].id)))
        let pair = Pair(store: storeID, courier: courier)
        let offered = try #require(try await session.database.run(FindDelivery(account: courier, id: id)).first)
        let create = try Commits.creation(of: store, to: couriers, reference: "one", key: "one")
        let accept = try Commits.step(.accept, on: offered, by: couriers[0], key: "two")
        let part = ListedDeliveries.Part(account: storeID, after: .beginning(.pending), last: .cancelled, limit: 51)
        let jobs = ListedDeliveries.Part(account: courier, after: .beginning(.pending), last: .cancelled, limit: 51)
        let attempt = try #require(create.record).attempt
        let (caller, page) = (
            Caller(account: storeID, kind: .store, session: .new(), language: .fallback),
            Page(limit: 50, after: nil, list: "")
        )
        let codes = InviteCodes(
            secret: try #require(ServerSecret([UInt8](repeating: 1, count: 32))), publicURL: PublicURL(""))
        var fields = Fields(["phone": "+385911234567"])
        let invitation = InviteForm(&fields)
        var (new, former) = (Fields(["name": "Dom", "address": "Ilica 2"]), Fields(["name": "Dom"]))
        let (place, changedPlace) = (NewPlace(&new), ChangedPlace(&former))
        let (number, hash) = (Login.phone(PhoneNumber(e164: "+385911234567")), [UInt8](repeating: 1, count: 32))
        let home = try #require(IPAddress("127.0.0.1"))
        let notice = Message(.passwordChanged)
        let returned = try #require(
            try await session.database.run(ListCancellations(courier: courier, page: page)).first)
        let everybody = try ListedCouriers(of: storeID, page, isPartner: nil)
        let changed = SecurityEvent(
            kind: .passwordChanged, account: courier, address: "127.0.0.1", meant: nil, requestID: "one")
        var duty = Fields(["on": false])
        let token = SHA256.hash("\(id)")
        let fix = try Fix(lat: 45, lon: 16, accuracy: 5, at: .now, speed: nil, heading: nil, now: .now)
        all =
            [
                // This comes first, since it is a transaction of its own.
                Self.one(NumberEvents(most: 100)), Self.one(ClaimAndAnswer()),
                Self.one(CommitCreations<PassOver>(commits: [create])),
                Self.one(CommitCreations<WaitFor>(commits: [create])),
                Self.one(CommitSteps<PassOver>(commits: [accept])),
                Self.one(CommitSteps<WaitFor>(commits: [accept])),
                Self.one(FindDelivery(account: courier, id: id)),
                Self.one(FindForStores(asked: [id])),
                Self.one(FindForAnybody(asked: [AskedDelivery(account: courier, id: id)])),
                Self.one(FindWithSteps(asked: [AskedDelivery(account: courier, id: id)])),
                Self.one(ListOfStore(part: part)),
                Self.one(ListOfCourier(part: jobs)),
                Self.one(FindStoreWithPartners(store: storeID, couriers: [courier], candidates: [courier])),
                Self.one(FindStrangers(delivery: offered.delivery)), Self.one(TakePinTry(delivery: id, carry: .now)),
                Self.one(ListEarnings(courier: courier, days: 30)), Self.one(FindDueTurns()),
                Self.one(TakeFixes(sent: [SentFixes(courier: courier, fixes: [fix])])),
                Self.one(ListPositions(store: storeID, after: nil, limit: 51)),
                Self.one(FindSeen(couriers: [courier])), Self.one(FindStops(courier: courier)),
                Self.one(FindWay(courier: courier)),

                Self.one(SetDuty(courier: courier, form: DutyForm(&duty))),
                Self.one(ExportPage<ExportedPosition>(account: courier, after: "")),
                Self.one(ExportPage<ExportedTrail>(account: courier, after: "")),
                Self.one(FindOrder(of: [courier], offered.delivery.content, by: storeID)),
                Self.one(SetRoute(courier: courier, deliveries: [])),
                Self.one(HoldAccount(account: courier)), Self.one(AddPlace(courier, .new(), place)),
                Self.one(ChangePlace(account: courier, id: .new(), form: changedPlace)),
                Self.one(OrderPlaces(account: courier, ids: [])), Self.one(SelectPlace(account: courier, id: .new())),
                Self.one(DeletePlace(account: courier, id: .new())),
                Self.one(try ListPlaces(account: courier, page: page)), Self.one(FindSelectedPlace(account: courier)),
                Self.one(FindPlacesByWord(account: courier, text: "ilica 77")),
                Self.one(WalkRecipients(store: storeID, text: "nikoga", most: 300)),
                Self.one(FindRecipientsByWord(store: storeID, text: "ilica 777")),
                Self.one(FindFirstAnswer(attempt: attempt)),
            ] + (try await Self.talk(session, storeID, courier, page)) + Self.papers(storeID, courier, hash)
            + (try Self.outside(courier, id, page)) + (try Self.day(storeID, courier, page))
            + (try Self.people(storeID, courier, id, hash, page)) + [
                Self.one(FindHolder(login: number, network: home)),
                Self.one(LockIdempotencyKey(attempt: attempt)),
                Self.one(ForgetFirstAnswer(attempt: attempt)),
                Self.one(ListPartners(of: try ListedCouriers(of: storeID, page, isPartner: true))),
                Self.one(RankPartners(of: try ListedCouriers(of: storeID, page, isPartner: true, sort: .reliability))),
                Self.one(WalkCouriers<ByName>(of: everybody, text: "nitko", most: 102)),
                Self.one(FindCouriersByWord<ByName>(of: everybody, text: "ana777")),
                Self.one(FindSession(tokenHash: [UInt8](repeating: 1, count: 32))),
                Self.one(ReadFeed<FeedDelivery>(account: storeID, after: .beginning, limit: 51)),
                Self.one(FindFeedEnd(account: storeID)),
                Self.one(WalkDeliveries<SearchOfStore>(part: part, text: "nikoga", most: 102)),
                Self.one(WalkDeliveries<SearchOfCourier>(part: jobs, text: "nikoga", most: 102)),
                Self.one(FindDeliveriesByWord<SearchOfStore>(part: part, text: "ilica 777")),
                Self.one(FindDeliveriesByWord<SearchOfCourier>(part: jobs, text: "ilica 777")),
                Self.one(HoldPartnership(pair: pair)), Self.one(CarriesSomething(pair: pair)),
                Self.one(FindReadyChannels(channels: ["push"])), Self.one(TellEverybody(accounts: [storeID, courier])),
                Self.one(
                    RedeemInvite(
                        invite: .new(), courier: courier,
                        message: Message(.partnerJoined, ["courier": "Ana"], data: [:]))),
                Self.one(IsAnythingDue()), Self.one(TakeUnaccepted()), Self.one(TakeLate()), Self.one(TakeOfferTexts()),
                Self.one(try ListNotices(delivery: id, page: page)),
                Self.one(TakeDue(kinds: ["one"], time: .seconds(1))),
                Self.one(MakeInvite(caller, invitation, named: "Pekara", codes: codes)),
                Self.one(FindCredentials(login: number, network: home)),
                Self.one(TryResets(login: number, network: home)), Self.one(TryReset(id: .new())),
                Self.one(GiveTryBack(id: .new())),
                Self.one(
                    InsertReset(
                        id: .new(), account: courier, codeHash: hash, message: notice, isStranger: true)),
                Self.one(
                    SetPassword(account: courier, old: nil, new: "$scrypt$none", message: notice, event: changed)),
                Self.one(ProvePlace(account: courier, place: number)), Self.one(FindUnproven(account: courier)),
                Self.one(
                    InsertConfirmation(
                        account: courier, place: number, codeHash: hash, language: .fallback, message: notice,
                        isAsked: true
                    )),
                Self.one(IsProven(place: number, account: courier)),
                Self.one(FindInviteByID(invite: .new(), courier: courier)),
                Self.one(try ListCancellations(courier: courier, page: page)),
                Self.one(FindCancellation(id: returned.id, account: courier)),
                Self.one(ContestCancellation(cancellation: returned, note: "led")),
                Self.one(ExcuseCancellation(cancellation: returned)),
                Self.one(ListCouriers<ByName>(of: everybody)), Self.one(ListCouriers<ByReliability>(of: everybody)),
                Self.one(WalkCouriers<ByReliability>(of: everybody, text: "nitko", most: 102)),
                Self.one(FindCouriersByWord<ByReliability>(of: everybody, text: "ana777")),
                Self.one(try ListStores(courier: courier, page: page)),
                Self.one(try ListSessions(caller: caller, page: page)),
                Self.one(try ListSecurity(account: storeID, page: page)),
                Self.one(try ListSentInvites(store: storeID, page: page)),
                Self.one(try ListReceivedInvites(courier: courier, page: page)),
                Self.one(ExportPage<ExportedAccount>(account: courier, after: "")),
                Self.one(ExportPage<ExportedSessions>(account: courier, after: "")),
                Self.one(ExportPage<ExportedInvites>(account: storeID, after: "")),
                Self.one(ExportPage<ExportedPartners>(account: storeID, after: "")),
                Self.one(ExportPage<ExportedEvents>(account: storeID, after: "")),
                Self.one(ExportPage<ExportedMessages>(account: courier, after: "")),
                Self.one(ExportPage<ExportedSecurity>(account: storeID, after: "")),
                Self.one(ListHistories(deliveries: [id])), Self.one(FindOpen(account: courier)),
                Self.one(FindOpen(account: storeID)), Self.one(TakeErasure<PassOver>(wanted: nil)),
                Self.one(ForgetRecipients()), Self.one(FindFile(id: .new(), reader: courier)),
                Self.one(FindPiece(place: PiecePlace(file: .new(), isSmall: false, number: 0))),
                Self.one(FindLooseFiles(files: [.new()], account: courier, delivery: id)), Self.one(DropLooseFiles()),
                Self.one(FindProof(delivery: id)), Self.one(FindTracking(delivery: id)),
                Self.one(FindTracked(hash: token)), Self.one(KeepWish(hash: token, text: "tiho")),
                Self.one(KeepRating(hash: token, stars: 5, text: nil)), Self.one(FindEnd(store: storeID, delivery: id)),
                Self.one(OpenTracking(delivery: id, link: 2, hash: [UInt8](repeating: 1, count: 32))),
                Self.one(EndTracking(delivery: id, hash: token)),
                Self.one(
                    EndPartnership(pair: pair, message: Message(.partnershipEnded, ["store": "Pekara"], data: [:]))),
            ]
    }

    /// What is asked of accounts and what they keep.
    private static func people(
        _ store: ID, _ courier: ID, _ delivery: ID, _ hash: [UInt8], _ page: Page
    ) throws -> [(String, @Sendable (Transaction) async throws -> Void)] {
        let pair = Pair(store: store, courier: courier)
        return [
            one(FindAccount(id: courier)), one(FindAccount(id: store)), one(FindPassword(account: courier)),
            one(TouchSession(id: .new())), one(IsBlocked(account: store)), one(UseReset(id: .new())),
            one(TryConfirmation(account: courier)), one(DropConfirmation(account: courier)),
            one(UseConfirmation(account: courier, tried: (place: "+385", codeHash: hash))),
            one(IsSendingLive(place: .phone(PhoneNumber(e164: "+385")))),
            one(IsUndoable(tokenHash: hash)), one(TakeFormerPlace(tokenHash: hash)),
            one(VoidSince(account: courier, change: .now, network: IPAddress("192.0.2.1")!)),
            one(EndSessions(account: courier, kept: nil)),
            one(DropDevice(account: courier, token: "7")), one(CountDevices(accounts: [courier])),
            one(FindGatewayKey(keyHash: hash)), one(TouchGatewayKey(id: .new())),
            one(TakeFromBuckets(subjects: [hash], steps: [1], bursts: [2])),
            one(TakeSeat(holder: store, most: 8, id: .new(), node: 1, recalls: true)),
            one(LeaveSeat(holder: store, id: store)),
            one(LengthenWait(subjects: [hash], steps: [1], bursts: [2])),
            one(CourierExists(courier: courier)), one(ArePartners(pair: pair)), one(FindStoreName(store: store)),
            one(RevokeInvite(store: store, id: .new())), one(FindInviteByCode(codeHash: hash, courier: courier)),
            one(FindInviter(codeHash: hash)), one(IsPlaceKept(account: courier, id: .new())),
            one(try ListHistory(delivery: delivery, page: page, hasStore: false)),
            one(FindFormerPlace(account: store, cursor: try #require(FormerCursor("1-1")))),
            one(FindCarried(account: courier)),
            one(ExportPage<ExportedDevices>(account: courier, after: "")),
            one(ExportPage<ExportedAddresses>(account: courier, after: "")),
            one(ExportPage<ExportedCancellations>(account: courier, after: "")),
            one(ExportPage<ExportedPlaces>(account: courier, after: "")),
            one(ExportPage<ExportedEarnings>(account: courier, after: "")),
            one(ExportPage<ExportedCredentials>(account: courier, after: "")),
            one(ExportPage<ExportedQuickAnswers>(account: courier, after: "")),
            one(ExportPage<ExportedBulletins>(account: store, after: "")),
        ]
    }

    /// What is asked of the road and the weather.
    private static func outside(
        _ courier: ID, _ report: ID, _ page: Page
    ) throws -> [(String, @Sendable (Transaction) async throws -> Void)] {
        var reported = Fields([
            "kind": "closure", "road_type": "city", "title": "Most",
            "location": ["lat": .number(45.5), "lon": .number(15.5)],
        ])
        let (form, kinds) = (NewRoadReport(&reported), RoadKind.allCases)
        let around = RoadArea(middle: Location(lat: 45, lon: 11)!, radius: 5000, box: nil)
        let box = RoadArea(middle: Location(lat: 45, lon: 11)!, radius: nil, box: RoadArea.Box("44.9,10.9,45.1,11.1"))
        let field = WeatherField(Location(lat: 0.5, lon: 0.5)!)
        let searches = try [around, box].flatMap { area in
            try [kinds, [.rockfall]].map { wanted in
                try RoadSearch(account: courier, area: area, kinds: kinds, wanted: wanted, page: page)
            }
        }
        let lists = searches.map { one(ListRoadReports(search: $0)) } + searches.map { one(ListRoadCrowd(search: $0)) }
        return lists + [
            one(AddRoadReport(id: .new(), author: courier, form: form)),
            one(VoteOnRoad(report: .new(), account: courier, vote: .gone)),
            one(FindRoadReport(account: courier, id: .new(), kinds: kinds)),
            one(FindRoadsNear(account: courier, place: around.middle, kinds: kinds)),
            one(FindRoadHearers(couriers: [courier], reports: [report], kinds: kinds)),
            one(ExportPage<ExportedRoads>(account: courier, after: "")),
            one(ExportPage<ExportedRoadVotes>(account: courier, after: "")),
            one(FindWeather(field: field)), one(ClaimWeather(field: field)), one(NoteNoWeather(field: field)),
            one(FindPlaceOf(account: courier, id: .new())),
        ]
    }

    /// What is asked of the bulletin, and of figures by area.
    private static func day(
        _ store: ID, _ courier: ID, _ page: Page
    ) throws -> [(String, @Sendable (Transaction) async throws -> Void)] {
        var told = Fields(["title": "Sutra ne radimo", "text": "Vidimo se.", "urgent": true])
        let bulletin = NewBulletin(&told)
        return [
            one(try ListBulletins(account: courier, page: page)),
            one(FindBulletin(account: courier, id: .new())), one(HoldAuthor(store: store)),
            one(PostBulletin(store: courier, name: "Pekara", id: .new(), form: bulletin)),
            one(RemoveBulletin(store: store, id: .new())), one(FindStoreDay(store: store)),
            one(
                ReadAreas(
                    store: store, zone: "Europe/Zagreb", first: Day(number: 20_000), last: Day(number: 20_059))),
        ]
    }

    private static func papers(
        _ store: ID, _ courier: ID, _ hash: [UInt8]
    ) -> [(String, @Sendable (Transaction) async throws -> Void)] {
        [
            one(ListCredentials(courier: courier)), one(FindCredential(courier: courier, id: .new())),
            one(FindSameCredential(courier: courier, sameness: hash)),
            one(AddCredential(courier: courier, id: .new(), sameness: hash, sealed: hash)),
            one(DeleteCredential(courier: courier, id: .new())),
            one(ShareCredential(courier: courier, id: .new(), stores: [store])),
            one(SharesWith(store: store, courier: courier)),
            one(ListShares(store: store, couriers: [courier])),
            one(ListSharedPapers(store: store, shares: [Share(courier: courier, id: .new(), bytes: 1)])),
            one(FindWants(store: store)),
        ]
    }

    /// When this week began, in seconds. The first day of all was a Thursday.
    private static var monday: Int64 {
        let (week, day): (Int64, Int64) = (604_800, 86_400)
        return (Timestamp.now.microseconds / 1_000_000 + 3 * day) / week * week - 3 * day
    }

    /// What is asked of conversations, the newest page and one in the middle among it.
    private static func talk(
        _ session: DatabaseSession, _ store: ID, _ courier: ID, _ page: Page
    ) async throws -> [(String, @Sendable (Transaction) async throws -> Void)] {
        let begun = try #require(
            try await session.database.run(BeginConversation(account: store, other: courier)).first)
        let listed = try ListedConversations(of: store, isHidden: false, page)
        let middle = Page(limit: 50, after: ["\((monday + 10_000) * 1_000_000)", "10000"], list: "")
        let (former, stranger) = (
            try #require(ID("00000000-0000-7000-8000-000000019990")),
            try #require(ID("00000000-0000-7000-8000-000000019999"))
        )
        let said = Utterance(
            conversation: begun.id, author: courier,
            content: SaidMessage.Content(text: "Bok", picture: nil, delivery: nil), key: nil, record: { _ in nil })
        let (message, picture) = (ID.new(), ID.new())
        try await session.database.run(AddLooseFile(id: picture, account: courier))
        let shown = Utterance(
            conversation: begun.id, author: courier,
            content: SaidMessage.Content(
                text: nil, picture: SaidMessage.Picture(id: picture, width: 1, height: 1), delivery: nil),
            key: nil, record: { _ in nil })
        let news = try #require(
            Named(["conversation_id": .string("\(begun.id)"), "message_id": .string("\(message)"), "seq": 20_000]))
        return [
            one(BeginConversation(account: courier, other: store)),
            one(BeginConversation(account: store, other: former)),
            one(BeginConversation(account: store, other: stranger)),
            one(FindConversation(account: store, id: begun.id)), one(ListConversations(listed: listed)),
            one(SearchConversations(listed: listed, text: "nitko")), one(CountUnread(account: courier)),
            one(try ListMessages(account: store, conversation: begun.id, page)),
            one(try ListMessages(account: store, conversation: begun.id, middle)),
            one(IsSaid(conversation: begun.id, id: message)),
            // Somebody reads on in the middle, and then to the end.
            one(ReadConversation(conversation: begun.id, account: courier, upTo: 10_001)),
            one(ReadConversation(conversation: begun.id, account: courier, upTo: 10_101)),
            one(ReadConversation(conversation: begun.id, account: courier, upTo: 20_000)),
            one(FindUntold(conversation: begun.id, from: .store)),
            one(FindUntold(conversation: begun.id, from: .courier)),
            one(ChangeConversation(account: courier, id: begun.id, isMuted: true)),
            one(FindPair(account: store, conversation: begun.id)), one(FindQuickAnswers(account: store)),
            one(FindLooseFile(file: picture, account: courier)), one(FindTakenKeys(keys: [])),
            one(KeepQuickAnswers(account: store, texts: ["Bok"])), one(ShowPicture(account: courier, picture: nil)),
            (
                "WriteMessages",
                { transaction in
                    let held = try await transaction.run(HoldConversations<WaitForHeld>(ids: [begun.id]))
                    let saying = Saying([said], in: held, taken: [], at: .now)
                    _ = try await transaction.run(WriteMessages(saying: saying))
                }
            ),
            (
                "DeleteMessage",
                { transaction in
                    let held = try await transaction.run(HoldConversations<WaitForHeld>(ids: [begun.id]))
                    let saying = Saying([shown], in: held, taken: [], at: .now)
                    _ = try await transaction.run(WriteMessages(saying: saying))
                    let id = try #require(saying.said.first?.message.id)
                    let delete = DeleteMessage(conversation: begun.id, account: courier, id: id)
                    #expect(try await transaction.run(delete).first?.outcome == .done)
                }
            ),
            one(FindNews(account: store, named: [news])),
            one(ExportPage<ExportedConversations>(account: store, after: "")),
            one(ExportPage<ExportedConversationMessages>(account: courier, after: "")),
        ]
    }

    static func one<S: Statement>(_ statement: S) -> (String, @Sendable (Transaction) async throws -> Void) {
        ("\(S.self)", { _ = try await $0.run(statement) })
    }

    /// How many rows and index entries each of them read. What they write is rolled back.
    func reads() async throws -> [(name: String, rows: Int)] {
        struct RolledBack: Error { let reads: [(name: String, rows: Int)] }
        do {
            return try await session.group.loops[0].run {
                try await session.database.transaction { transaction in
                    var reads: [(name: String, rows: Int)] = []
                    for (name, run) in all {
                        let before = try await transaction.run(RowsRead()).first ?? 0
                        try await run(transaction)
                        reads.append((name, Int((try await transaction.run(RowsRead()).first ?? 0) - before)))
                    }
                    throw RolledBack(reads: reads)
                }
            }
        } catch let rolledBack as RolledBack {
            return rolledBack.reads
        }
    }
}

private struct HoldNumbering: Statement {
    static let sql = "SELECT pg_advisory_lock(7311146936)::text"
    static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}

/// A picture that hangs on nothing yet.
private struct AddLooseFile: Statement {
    static let sql = """
        INSERT INTO files (id, account_id, type, sha256, width, height, bytes)
        VALUES ($1, $2, 'image/jpeg', sha256(''), 1, 1, 1)
        """
    let id, account: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(account)
    }
}

/// Sends everybody a message of each kind.
private struct TellEverybody: Statement {
    static let sql = Tell.sql(
        """
        SELECT jsonb_build_array(jsonb_build_object('kind', kind, 'data', '{}'::jsonb,
            'texts', jsonb_build_object('en', jsonb_build_array('Title', 'Body')), 'accounts', $1::uuid[])) AS notices
        FROM unnest($2::text[]) AS kind
        """)
    let accounts: [ID]

    func bind(into parameters: inout Parameters) {
        parameters.add(accounts)
        parameters.add(NotificationKind.allCases.map(\.rawValue))
    }
}

/// A gateway's turn: some messages arrive, and others do not.
private struct ClaimAndAnswer: Statement {
    static let sql = """
        DO $$
        DECLARE
            ids uuid[];
            leases uuid[];
        BEGIN
            SELECT array_agg(id), array_agg(lease) INTO ids, leases FROM outbox_claim('push', 20, 60);
            ASSERT cardinality(ids) > 0, 'nothing waits';
            PERFORM outbox_extend(ids, leases, 90, '{push}');
            PERFORM outbox_ack(ids[1:10], leases[1:10], '{push}');
            PERFORM outbox_nack(
                (SELECT jsonb_agg(jsonb_build_object('id', id, 'lease', lease, 'reason', 'busy'))
                    FROM unnest(ids[11:20], leases[11:20]) AS failed(id, lease)), '{push}');
        END
        $$
        """
}

/// How many rows and index entries the connection has read, by the server's count.
private struct RowsRead: Statement {
    static let sql = """
        SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::bigint
        FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = current_schema()::regnamespace
        """

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
