import Domain
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Deliveries
@testable import Product

/// How long what is said is kept, who takes it along, and what is left when somebody is gone.
@Suite(.database) struct TalkKeepingTests {
    /// Does the next piece of dropping what is too old on a server that keeps what is said for so many days, or for the usual
    /// time; whether there is more to do at once.
    private func tidy(_ api: ServedProduct, days: Int? = nil) async throws -> Bool {
        var settings = Composition.Settings(
            publicURL: PublicURL(""), looseness: nil, apps: ServedProduct.apps, hashingThreads: 1, eventDays: 1,
            messageDays: 30, verifies: false, version: "0")
        if let days { settings.conversationDays = days }
        let kind = Composition.dueKinds(settings).first { $0.name == "conversation partitions" }
        return try await #require(kind).work(api.database)
    }

    /// Drops all that is too old; gives in how many pieces.
    private func dropAll(_ api: ServedProduct, days: Int? = nil) async throws -> Int {
        var pieces = 0
        while try await tidy(api, days: days) { pieces += 1 }
        return pieces
    }

    /// A message of so many weeks ago, in a partition of its own.
    private func sayLongAgo(_ api: ServedProduct, weeks: Int, in id: String, seq: Int) async throws {
        try await api.execute(
            """
            DO $$
            DECLARE
                week date := date_trunc('week', now() - interval '\(weeks) weeks');
                part text := 'conversation_messages' || to_char(week, '_YYYYMMDD');
            BEGIN
                EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF conversation_messages FOR VALUES FROM (%L) TO (%L)',
                    part, week, week + 7);
                INSERT INTO conversation_messages (conversation_id, at, seq, id, from_store, text)
                VALUES ('\(id)', week + interval '1 day', \(seq), first_uuid(week + interval '1 day'), false, 'Davno');
                UPDATE conversations SET last_seq = \(seq), store_unread = store_unread + 1 WHERE id = '\(id)';
            END
            $$
            """)
    }

    @Test func `what is too old is dropped by the week, and unread no more`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            try await sayLongAgo(api, weeks: 60, in: id, seq: 1)
            try await sayLongAgo(api, weeks: 40, in: id, seq: 2)
            _ = try await api.say("Sad", in: id, as: courier)
            #expect(try await api.conversation(id, of: store)["unread"] == 3)
            #expect(try await api.said(in: id, as: store).map { $0["seq"] } == [1, 2, 3])
            // First it is unread no more, and then it is dropped.
            #expect(try await dropAll(api) == 2)
            #expect(try await api.said(in: id, as: store).map { $0["seq"] } == [2, 3])
            #expect(try await api.conversation(id, of: store)["unread"] == 2)
            #expect(try await dropAll(api, days: 30) == 2)
            #expect(try await api.conversation(id, of: store)["unread"] == 1)
            for seq in 4...6 { #expect(try await api.say("Dalje", in: id, as: store).json["seq"].integer == seq) }
            // Who has read nothing yet reads on in what is there.
            for (upTo, unread) in [(1, 3), (3, 3), (5, 1), (6, 0)] {
                #expect(try await api.read(id, upTo: upTo, as: courier).json["unread"].integer == unread)
            }
        }
    }

    /// Whoever writes holds its conversation, and then wants to write into the table.
    @Test func `who holds a conversation holds up what is dropped, and nobody else`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            var ids: [String] = []
            for courier in couriers { ids.append(try await api.conversation(store, with: courier)) }
            for id in ids { try await sayLongAgo(api, weeks: 60, in: id, seq: 1) }
            let writer = try await OpenTransaction.begin()
            try await writer.query("SELECT FROM conversations WHERE id = '\(ids[0])' FOR NO KEY UPDATE")
            // The other one is done meanwhile, and nothing waits.
            #expect(try await dropAll(api) == 1)
            #expect(try await api.conversation(ids[0], of: store)["unread"] == 1)
            #expect(try await api.conversation(ids[1], of: store)["unread"] == 0)
            #expect(try await api.said(in: ids[0], as: store).count == 1)
            #expect(try await api.say("Bok", in: ids[1], as: couriers[1]).status == 201)
            try await writer.commit()
            // What is said while the week goes stays unread.
            let held = ids[0]
            async let said = together(Array(1...30)) { _ in try await api.say("Bok", in: held, as: couriers[0]) }
            // Somebody may hold it whenever one looks.
            try await eventually {
                _ = try? await dropAll(api)
                return try await api.said(in: held, as: store).first?["seq"] != 1
            }
            #expect(try await said.allSatisfy { $0.status == 201 })
            #expect(try await api.conversation(ids[0], of: store)["unread"] == 30)
            #expect(try await api.said(in: ids[0], as: store).map { $0["seq"] } == (2...31).map { .integer($0) })
        }
    }

    @Test func `pictures of a week go before it, some at a time`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            try await sayLongAgo(api, weeks: 60, in: id, seq: 1)
            _ = try await api.read(id, upTo: 1, as: store)
            let picture = try await api.picture(of: courier)
            try await api.execute("UPDATE files SET conversation_id = '\(id)'")
            try await api.execute(
                """
                INSERT INTO conversation_messages (conversation_id, at, seq, id, from_store, file_id, file_width, file_height)
                SELECT conversation_id, at + n * interval '1 millisecond', n + 1, id, n % 2 = 0,
                    CASE WHEN n = 700 THEN '\(picture)' ELSE gen_random_uuid() END, 1, 1
                FROM conversation_messages, generate_series(1, 700) n
                """)
            try await api.execute(
                "UPDATE conversations SET last_seq = 701, store_read = 701, courier_read = 700, courier_unread = 1")
            // The last of them is unread no more, two pieces of pictures are gone, and then the week.
            #expect(try await dropAll(api) == 4)
            #expect(try await api.look(at: picture, as: courier).status == 404)
            #expect(try await api.conversation(id, of: courier)["unread"] == 0)
            #expect(try await api.said(in: id, as: store).isEmpty)
        }
    }

    @Test func `what is dropped is told no more`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            _ = try await api.call("PUT", "/v1/me/devices/one", ["platform": "fcm"], as: store.token)
            _ = try await api.say("Bok", in: id, as: courier)
            let waiting = "SELECT FROM message_queue WHERE kind = 'message_received'"
            #expect(try await api.execute(waiting).count == 1)
            // As if the week were over: this ends it in the weeks to come.
            #expect(try await api.execute("SELECT conversation_partitions(-14)") == [["t"]])
            #expect(try await api.execute(waiting).isEmpty)
        }
    }

    @Test func `pictures live as long as what they hang on`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            let (said, shown, loose) = (
                try await api.picture(of: courier), try await api.picture(of: courier),
                try await api.picture(of: courier)
            )
            _ = try await api.say("Slika", in: id, as: courier, ["file_id": .string(said.description)])
            _ = try await api.call("PATCH", "/v1/me", ["picture": .string(shown.description)], as: courier.token)
            let taken = try await api.delivery(of: store, to: [courier])
            try await api.act("accept", taken, as: courier)
            try await api.act("deliver", taken, as: courier, .photos([loose]))
            // As if the week were over for pictures of steps: -30 days ends it in the weeks to come.
            try await api.execute("SELECT file_partitions(-60)")
            for picture in [said, shown] { #expect(try await api.look(at: picture, as: store).status == 200) }
            #expect(try await api.look(at: loose, as: store).status == 404)
            // Then what was said is over, too.
            for _ in 0..<3 { #expect(try await api.execute("SELECT conversation_partitions(-14)") == [["t"]]) }
            #expect(try await api.look(at: said, as: store).status == 404)
            #expect(try await api.look(at: shown, as: store).status == 200)
        }
    }

    @Test func `an erased author's words are gone, and the conversation stays for the other`() async throws {
        try await ServedProduct.serving { api in
            for kind in AccountKind.allCases {
                let (store, courier, id) = try await api.talk()
                let (gone, left) = kind == .store ? (store, courier) : (courier, store)
                for person in [store, courier] {
                    _ = try await api.call(
                        "PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
                }
                let picture = try await api.picture(of: gone)
                let file: JSON = .string(picture.description)
                _ = try await api.say("Xqriječ", in: id, as: gone, ["file_id": file], key: "k")
                _ = try await api.say("Ostaje", in: id, as: left)
                _ = try await api.say("Xqopet", in: id, as: gone)
                let face = try await api.picture(of: gone)
                let profile: JSON = [
                    "picture": .string(face.description), "description": "Xqopis", "public_profile": true,
                ]
                #expect(try await api.call("PATCH", "/v1/me", profile, as: gone.token).status == 200)
                _ = try await api.call("PUT", "/v1/me/quick_answers", ["texts": ["Xqbrzo"]], as: gone.token)
                try await api.numberEvents()
                try await api.erase(gone, kind)

                let seen = try await api.conversation(id, of: left)
                #expect(seen["can_write"] == false && seen["with"]["name"] == "" && seen["unread"] == 0)
                #expect(try await api.said(in: id, as: left).map { $0["text"] } == [nil, "Ostaje", nil])
                #expect(try await api.say("Halo", in: id, as: left).code == "partnership_ended")
                for file in [picture, face] { #expect(try await api.look(at: file, as: left).status == 404) }
                #expect(try await api.get("/v1/conversations", as: gone.token).status == 401)
                let file2 = TemporaryDirectory.path("dump")
                let made = try await Program.run("pg_dump", ["-d", TestDatabase.current.url, "-f", file2])
                try #require(made.code == 0, "\(made.complained)")
                let dump = try String(contentsOfFile: file2, encoding: .utf8)
                for word in ["Xqriječ", "Xqopet", "Xqopis", "Xqbrzo"] { #expect(!dump.contains(word), "\(word)") }
            }
        }
    }

    @Test func `who worked together and never wrote still begin when one of them is gone, and nobody writes`()
        async throws
    {
        try await ServedProduct.serving { api in
            for kind in AccountKind.allCases {
                let (store, courier) = (try await api.store(), try await api.courier())
                try await api.joinByNumber(store, courier)
                let (gone, left) = kind == .store ? (store, courier) : (courier, store)
                try await api.erase(gone, kind)
                let begun = try await api.call("PUT", "/v1/conversations/with/\(gone.id)", as: left.token)
                #expect(begun.status == 201 && begun.json["can_write"] == false)
                // The number that was invited is not kept for it.
                #expect(try await api.execute("SELECT FROM invites WHERE phone IS NOT NULL") == [])
            }
        }
    }

    @Test func `a long conversation is erased piece by piece`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            try await api.execute(
                """
                INSERT INTO conversation_messages (conversation_id, at, seq, id, from_store, text)
                SELECT '\(id)', date_trunc('week', now()) + n * interval '1 millisecond', n, gen_random_uuid(), n % 2 = 0, 'Xq'
                FROM generate_series(1, 12000) n
                """)
            try await api.execute(
                "UPDATE conversations SET last_seq = 12000, store_unread = 6000, courier_unread = 6000")
            try await api.erase(courier, .courier)
            let left =
                "SELECT count(*) FILTER (WHERE text IS NULL), count(*) FILTER (WHERE from_store AND text = 'Xq') FROM conversation_messages"
            #expect(try await api.execute(left) == [["6000", "6000"]])
            #expect(try await api.conversation(id, of: store)["unread"] == 0)
        }
    }

    @Test func `an account takes its conversations along`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            let second = try await api.courier()
            try await api.join(store, second)
            let other = try await api.conversation(store, with: second)
            for number in 1...205 { _ = try await api.say("Moje \(number)", in: id, as: courier) }
            _ = try await api.say("Njihovo", in: id, as: store)
            _ = try await api.say("Tajna", in: other, as: second)
            _ = try await api.call("PUT", "/v1/me/quick_answers", ["texts": ["Stižem"]], as: courier.token)
            let reply = try await Client(api.port).get("/v1/me/export", "Authorization: Bearer \(courier.token)\r\n")
            let json = try #require(JSON(reply.body))
            #expect(json["conversations"].items.map { $0["id"].string } == [id])
            #expect(json["conversation_messages"].items.map { $0["seq"].integer } == Array(1...206))
            #expect(json["conversation_messages"].items.last?["text"] == "Njihovo")
            #expect(json["quick_answers"].items == [["texts": ["Stižem"]]])
            #expect(!reply.text.contains("Tajna"))
            let all = try await Client(api.port).get("/v1/me/export", "Authorization: Bearer \(store.token)\r\n")
            #expect(JSON(all.body)?["conversation_messages"].items.count == 207)
        }
    }
}
