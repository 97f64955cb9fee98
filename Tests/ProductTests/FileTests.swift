import Crypto
import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Deliveries
@testable import Product

/// Pictures that couriers and stores send.
@Suite(.database) struct FileTests {
    /// Whole weeks are dropped, once the last of their days is old enough.
    @Test func `pictures are kept for as many days as the settings say`() async throws {
        try await ServedProduct.serving { api in
            try await api.execute(
                """
                DO $$ DECLARE week date; kept text; BEGIN FOR n IN 1..20 LOOP
                    week := date_trunc('week', now() AT TIME ZONE 'UTC')::date - 7 * n;
                    FOREACH kept IN ARRAY '{files,file_pieces}'::text[] LOOP
                        EXECUTE format('CREATE TABLE %s_%s PARTITION OF %1$s FOR VALUES FROM (%3$L) TO (%4$L)',
                            kept, to_char(week, 'YYYYMMDD'), first_uuid(week), first_uuid(week + 7));
                    END LOOP;
                END LOOP; END $$
                """)
            let oldest = """
                SELECT inhparent::regclass, (now() AT TIME ZONE 'UTC')::date - min(to_date(right(relname, 8), 'YYYYMMDD'))
                FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
                WHERE inhparent IN ('files'::regclass, 'file_pieces'::regclass) GROUP BY 1 ORDER BY 1
                """
            for (days, kept) in [(nil, 90), (20, 20)] {
                var settings = Composition.Settings(
                    publicURL: PublicURL(""), looseness: nil, apps: ServedProduct.apps, hashingThreads: 1, eventDays: 1,
                    messageDays: 30, verifies: false, version: "0")
                if let days { settings.photoDays = days }
                let kind = Composition.dueKinds(settings).first { $0.name == "picture partitions" }
                _ = try await #require(kind).work(api.database)
                let ages = try await api.execute(oldest).compactMap { $0[1].flatMap(Int.init) }
                #expect(ages.count == 2 && ages.allSatisfy { (kept..<kept + 7).contains($0) }, "\(ages)")
            }
        }
    }

    @Test func `a picture is kept without what is not the picture, and given to whoever sent it`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let sent = try await api.send(Pictures.jpeg(), as: courier)
            #expect(sent.status == 201 && sent.json["width"] == 640 && sent.json["height"] == 480)
            let id = try #require(sent.json["id"].string.flatMap(ID.init))
            let given = try await api.look(at: id, as: courier)
            #expect(given.status == 200 && given.header("content-type") == "image/jpeg")
            #expect(sent.json["bytes"] == .integer(given.body.count))
            #expect(sent.json["sha256"].string == hexadecimal(SHA256.hash(given.body)))
            #expect(!String(decoding: given.body, as: UTF8.self).contains("SECRET"))
            #expect(given.header("content-disposition") == #"inline; filename="\#(id).jpg""#)
            #expect(given.header("cache-control") == "private, max-age=31536000, immutable")
            #expect(given.header("x-content-type-options") == "nosniff")
            let small = try await api.look(at: id, as: courier, "?width=320")
            #expect(small.header("content-type") == "image/jpeg" && !small.body.isEmpty)
            #expect(small.body.count < given.body.count)
            #expect(try await api.look(at: id, as: courier, "?width=640").status == 422)
        }
    }

    @Test func `a picture of many pieces comes back as it was`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let sent = try await api.send(Pictures.jpeg(1200, 900, isNoisy: true), as: courier)
            #expect(sent.status == 201)
            let id = try #require(sent.json["id"].string.flatMap(ID.init))
            let given = try await api.look(at: id, as: courier)
            #expect(given.body.count > 500_000)
            #expect(sent.json["sha256"].string == hexadecimal(SHA256.hash(given.body)))
        }
    }

    /// The database has no room left, or goes away, between two pieces.
    @Test(arguments: ["RAISE 'no space' USING ERRCODE = 'disk_full'", "PERFORM pg_terminate_backend(pg_backend_pid())"])
    func `a picture that the database cannot keep whole is not kept at all, and may be sent again`(
        fault: String
    ) async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let picture = Pictures.jpeg(1200, 900, isNoisy: true)
            try await api.execute(
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(fault); RETURN NEW; END $$")
            try await api.execute(
                """
                CREATE TRIGGER fail BEFORE INSERT ON file_pieces FOR EACH ROW WHEN (NEW.number = 3) EXECUTE FUNCTION fail()
                """)
            let key = "Idempotency-Key: once\r\n"
            let refused = try await api.send(picture, as: courier, type: "image/jpeg", key)
            #expect(refused.status == 503 && refused.code == "unavailable", "\(refused.json)")
            for table in ["files", "file_pieces"] {
                #expect(try await api.execute("SELECT count(*) FROM \(table)") == [["0"]])
            }
            try await api.execute("DROP TRIGGER fail ON file_pieces")
            try await eventually { try await api.get("/v1/me", as: courier.token).status == 200 }
            let taken = try await api.send(picture, as: courier, type: "image/jpeg", key)
            let id = try #require(taken.json["id"].string.flatMap(ID.init), "\(taken.json)")
            #expect(
                try await hexadecimal(SHA256.hash(api.look(at: id, as: courier).body)) == taken.json["sha256"].string)
        }
    }

    @Test func `a key that was used for another picture is refused`() async throws {
        try await ServedProduct.serving { api in
            let (courier, key) = (try await api.courier(), "Idempotency-Key: once\r\n")
            let first = try await api.send(Pictures.jpeg(32, 32), as: courier, type: "image/jpeg", key)
            let again = try await api.send(Pictures.jpeg(32, 32), as: courier, type: "image/jpeg", key)
            #expect(first.status == 201 && again.status == 201 && again.json == first.json)
            let other = try await api.send(Pictures.jpeg(640, 480), as: courier, type: "image/jpeg", key)
            #expect(other.status == 422 && other.code == "idempotency_key_reused", "\(other.json)")
            // As long as the first, and not the same.
            var changed = Pictures.jpeg(32, 32)
            changed[6] ^= 1
            let alike = try await api.send(changed, as: courier, type: "image/jpeg", key)
            #expect(alike.status == 422 && alike.code == "idempotency_key_reused", "\(alike.json)")
            #expect(try await api.execute("SELECT count(*) FROM files") == [["1"]])
        }
    }

    @Test func `a narrow picture is its own smaller one`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let id = try await api.picture(of: store)
            let both = [try await api.look(at: id, as: store), try await api.look(at: id, as: store, "?width=320")]
            #expect(both[0].body == both[1].body)
        }
    }

    @Test func `what is no picture is refused, and nothing of it is kept`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let whole = Pictures.jpeg()
            for broken in [[], Array("GIF89a".utf8), Array(whole.dropLast()), whole + Array("PK\u{3}\u{4}".utf8)] {
                let answer = try await api.send(broken, as: courier)
                #expect(answer.status == 422 && answer.code == "bad_image")
            }
            // The content decides, so a wrong name of the right kind does no harm, and another kind is not taken at all.
            #expect(try await api.send(whole, as: courier, type: "image/webp").status == 201)
            #expect(try await api.send(whole, as: courier, type: "image/gif").code == "unsupported_media_type")
            let large = try await api.send(whole + [UInt8](repeating: 0, count: 5 << 20), as: courier)
            #expect(large.status == 413)
            #expect(try await api.execute("SELECT count(*) FROM files") == [["1"]])
            #expect(try await api.execute("SELECT count(DISTINCT file_id) FROM file_pieces") == [["1"]])
        }
    }

    @Test func `a picture is for its sender, and once it hangs on a step for all who see the delivery`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.picture(of: couriers[0])
            for stranger in [store, couriers[1]] { #expect(try await api.look(at: id, as: stranger).status == 404) }
            let delivery = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", delivery, as: couriers[0])
            try await api.act("pick_up", delivery, as: couriers[0], .photos([id]))
            #expect(try await api.look(at: id, as: couriers[0]).status == 200)
            #expect(try await api.look(at: id, as: store).status == 200)
            #expect(try await api.look(at: id, as: couriers[1]).status == 404)
            #expect(try await api.look(at: id, as: try await api.store()).status == 404)
        }
    }

    @Test func `what has hung on nothing for an hour is gone`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let delivery = try await api.delivery(of: store, to: couriers)
            let hung = try await api.picture(of: couriers[0])
            let loose = try await api.picture(of: couriers[0])
            try await api.act("accept", delivery, as: couriers[0])
            try await api.act("pick_up", delivery, as: couriers[0], .photos([hung]))
            try await api.makeWeeks(of: ["files", "file_pieces"], ago: "62 minutes")
            // Two that are an hour old, and one of which hangs.
            for (id, minutes) in [(loose, 61), (hung, 62)] {
                let older =
                    try await api.execute("SELECT first_uuid(now() - interval '\(minutes) minutes')")[0][0] ?? ""
                try await api.execute("UPDATE files SET id = '\(older)' WHERE id = '\(id)'")
                try await api.execute("UPDATE file_pieces SET file_id = '\(older)' WHERE file_id = '\(id)'")
            }
            let fresh = try await api.picture(of: couriers[0])
            #expect(try await api.database.run(DropLooseFiles()) == [1])
            #expect(try await api.database.run(DropLooseFiles()) == [0])
            #expect(try await api.execute("SELECT count(*), count(delivery_id) FROM files") == [["2", "1"]])
            #expect(try await api.execute("SELECT count(DISTINCT file_id) FROM file_pieces") == [["2"]])
            #expect(try await api.look(at: fresh, as: couriers[0]).status == 200)
        }
    }

    @Test func `pictures go by the week, and the weeks to come are there before they begin`() async throws {
        try await ServedProduct.serving { api in
            let weeks =
                "SELECT count(*) FROM pg_inherits WHERE inhparent IN ('files'::regclass, 'file_pieces'::regclass)"
            let before = try await api.execute(weeks)
            // A week that ended ninety-one days ago, and one that did not.
            for (number, days) in [(0, 98), (1, 91)] {
                try await api.execute(
                    """
                    DO $$ DECLARE day date := date_trunc('week', now() AT TIME ZONE 'UTC')::date - \(days) + 7 * \(number) - 7;
                    BEGIN EXECUTE format('CREATE TABLE %I PARTITION OF files FOR VALUES FROM (%L) TO (%L)',
                        'files' || to_char(day, '_YYYYMMDD'), first_uuid(day), first_uuid(day + 7)); END $$
                    """)
            }
            _ = try await api.database.run(RenewFilePartitions(days: 91))
            let after = try await api.execute(weeks)
            #expect(Int(after[0][0] ?? "") == (Int(before[0][0] ?? "") ?? 0) + 1)
        }
    }

    @Test func `what a week takes along is removed from the store of pictures, too`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let ids = [try await api.picture(of: courier), try await api.picture(of: courier)]
            // One of them is in the store, and both are of a week that is over.
            try await api.execute(
                """
                DO $$ DECLARE day date := date_trunc('week', now() AT TIME ZONE 'UTC')::date - 140;
                BEGIN EXECUTE format('CREATE TABLE %I PARTITION OF files FOR VALUES FROM (%L) TO (%L)',
                    'files' || to_char(day, '_YYYYMMDD'), first_uuid(day), first_uuid(day + 7));
                UPDATE files SET id = first_uuid(day + 1), place = 'there' WHERE id = '\(ids[0])';
                UPDATE files SET id = first_uuid(day + 2) WHERE id = '\(ids[1])'; END $$
                """)
            let moved = try await api.execute("SELECT id FROM files WHERE place = 'there'")
            _ = try await api.database.run(RenewFilePartitions(days: 90))
            #expect(try await api.execute("SELECT count(*) FROM files") == [["0"]])
            #expect(try await api.execute("SELECT file_id FROM file_removals") == moved)
            #expect(try await api.database.run(FindRemovals(most: 10)).isEmpty)
        }
    }

    @Test func `a picture that is sent again with its key is there once`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let answers = [
                try await api.send(Pictures.jpeg(), as: courier, "Idempotency-Key: door\r\n"),
                try await api.send(Pictures.jpeg(), as: courier, "Idempotency-Key: door\r\n"),
            ]
            #expect(answers[0].status == 201 && answers[0].json == answers[1].json)
            #expect(try await api.execute("SELECT count(*) FROM files") == [["1"]])
            // Once it is gone, since it hung on nothing, its id is told no more.
            try await api.execute("DELETE FROM files")
            #expect(try await api.send(Pictures.jpeg(), as: courier, "Idempotency-Key: door\r\n").status == 404)
        }
    }

    @Test func `an account sends four pictures at a time`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            var clients: [Client] = []
            for _ in 0..<4 {
                let client = try await Client(api.port)
                try await client.send(
                    """
                    POST /v1/files HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(courier.token)\r\n\
                    Content-Type: image/jpeg\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n
                    """)
                // It is asked for once it has a place.
                #expect(try await blocking { try client.takeLine() } == "HTTP/1.1 100 Continue")
                clients.append(client)
            }
            #expect(try await api.send(Pictures.jpeg(), as: courier).status == 429)
            #expect(try await api.send(Pictures.jpeg(), as: try await api.courier()).status == 201)
            for client in clients { client.close() }
            try await eventually { try await api.send(Pictures.jpeg(), as: courier).status == 201 }
        }
    }
}
