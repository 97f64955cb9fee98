import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API

/// What happens when many talk at once.
@Suite(.database) struct TalkRaceTests {
    @Test func `a pair has one conversation, however often both begin at once`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for _ in 0..<200 {
                let courier = try await api.courier()
                try await api.join(store, courier)
                let begun = try await together([(store, courier), (courier, store), (store, courier), (courier, store)])
                {
                    try await api.call("PUT", "/v1/conversations/with/\($1.id)", as: $0.token)
                }
                #expect(begun.map(\.status).sorted() == [200, 200, 200, 201])
                #expect(Set(begun.map { $0.json["id"].string }).count == 1)
            }
            #expect(try await api.execute("SELECT count(*) FROM conversations") == [["200"]])
            await expectRefusal(by: "conversation_of_pair") {
                try await api.execute(
                    """
                    INSERT INTO conversations (id, store_id, courier_id, is_open)
                    SELECT uuid_v7(), store_id, courier_id, true FROM conversations LIMIT 1
                    """)
            }
        }
    }

    @Test func `numbers follow each other without a gap, with any number of writers on two nodes`() async throws {
        try await ServedProduct.serving { api in
            try await ServedProduct.another(looseness: nil, trust: Trust()) { other in
                let (store, couriers) = try await api.team(3)
                var ids: [String] = []
                for courier in couriers { ids.append(try await api.conversation(store, with: courier)) }
                let conversations = ids
                let answers = try await together(Array(0..<240)) { number in
                    let place = number % 3
                    let node = number % 2 == 0 ? api : other
                    let person = number % 5 < 2 ? store : couriers[place]
                    return try await node.say("\(number)", in: conversations[place], as: person)
                }
                #expect(answers.allSatisfy { $0.status == 201 })
                for (id, courier) in zip(ids, couriers) {
                    let said = try await api.said(in: id, as: courier)
                    #expect(said.map { $0["seq"] } == (1...80).map { .integer($0) })
                    // Times and ids are in the same order, and answers told what came to be.
                    #expect(said.compactMap { $0["at"].string } == said.compactMap { $0["at"].string }.sorted())
                    let answered = Set(answers.compactMap { $0.json["id"].string })
                    #expect(said.allSatisfy { answered.contains($0["id"].string ?? "") })
                }
                try await api.numberEvents()
                // In the order of the numbers in the feeds, too.
                for (id, courier) in zip(ids, couriers) {
                    let seqs = try await api.get("/v1/events?limit=200", as: courier.token).items
                        .filter { $0["data"]["conversation_id"].string == id }
                        .compactMap { $0["data"]["message"]["seq"].integer }
                    #expect(seqs == Array(1...80))
                }
            }
        }
    }

    @Test func `a message that is sent several times under one key is said once`() async throws {
        try await ServedProduct.serving { api in
            try await ServedProduct.another(looseness: nil, trust: Trust()) { other in
                let (store, courier, id) = try await api.talk()
                for round in 1...20 {
                    let answers = try await together(Array(0..<6)) {
                        try await ($0 % 2 == 0 ? api : other).say("Bok", in: id, as: courier, key: "key \(round)")
                    }
                    #expect(answers.allSatisfy { $0.status == 201 })
                    #expect(Set(answers.map(\.reply.body)).count == 1)
                    #expect(answers.count { $0.reply.header("idempotent-replayed") == nil } == 1)
                }
                #expect(try await api.said(in: id, as: store).count == 20)
                let reused = try await api.say("Drugo", in: id, as: courier, key: "key 1")
                #expect(reused.status == 422 && reused.code == "idempotency_key_reused")
                // One key for two conversations is one of them.
                let second = try await api.courier()
                try await api.join(store, second)
                let another = try await api.conversation(store, with: second)
                let both = try await together([id, another]) {
                    try await api.say("Bok", in: $0, as: store, key: "both")
                }
                #expect(both.map(\.status).sorted() == [201, 422])
            }
        }
    }

    @Test func `one picture that is sent in several messages at once hangs on one of them`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            for _ in 0..<5 {
                let picture = try await api.picture(of: courier)
                let answers = try await together(6) {
                    try await api.say("Slika", in: id, as: courier, ["file_id": .string(picture.description)])
                }
                #expect(answers.count { $0.status == 201 } == 1)
                #expect(answers.count { $0.code == "unknown_file" } == 5)
            }
            #expect(try await api.said(in: id, as: store).map { $0["seq"] } == [1, 2, 3, 4, 5])
        }
    }

    @Test func `who holds a conversation keeps only that one waiting`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            var ids: [String] = []
            for courier in couriers { ids.append(try await api.conversation(store, with: courier)) }
            let (held, free) = (ids[0], ids[1])
            let holder = try await OpenTransaction.begin()
            _ = try await holder.query("SELECT FROM conversations WHERE id = '\(held)' FOR UPDATE")
            async let kept = together(Array(1...10)) { try await api.say("\($0)", in: held, as: store) }
            try await api.untilSomebodyWaits()
            let others = try await together(10) { try await api.say("Bok", in: free, as: store) }
            #expect(others.allSatisfy { $0.status == 201 })
            #expect(try await api.said(in: held, as: store).isEmpty)
            try await holder.commit()
            #expect(try await kept.allSatisfy { $0.status == 201 })
            #expect(try await api.said(in: held, as: store).map { $0["seq"] } == (1...10).map { .integer($0) })
        }
    }

    /// Whichever of the two is under way when the other comes.
    @Test func `who become partners again while they begin to talk can write`() async throws {
        try await ServedProduct.serving { api in
            for beginsFirst in [true, false] {
                let (store, courier) = (try await api.store(), try await api.courier())
                try await api.joinByNumber(store, courier)
                try await api.endPartnership(store, courier)
                let holder = try await OpenTransaction.begin()
                let path = "/v1/conversations/with/\(store.id)"
                if beginsFirst {
                    try await holder.query("SELECT begin_conversation('\(store.id)', '\(courier.id)', uuid_v7())")
                    async let joined: Void = api.join(store, courier)
                    try await api.untilSomebodyWaits()
                    try await holder.commit()
                    try await joined
                } else {
                    try await holder.query("INSERT INTO partners VALUES ('\(store.id)', '\(courier.id)')")
                    async let begun = api.call("PUT", path, as: courier.token)
                    try await api.untilSomebodyWaits()
                    try await holder.commit()
                    _ = try await begun
                }
                let found = try await api.call("PUT", path, as: courier.token)
                #expect(found.status == 200 && found.json["can_write"] == true, "\(beginsFirst)")
            }
        }
    }

    @Test func `what begins while a partnership ends is over with it`() async throws {
        try await ServedProduct.serving { api in
            for _ in 0..<20 {
                let (store, courier) = (try await api.store(), try await api.courier())
                try await api.joinByNumber(store, courier)
                async let ended: Void = api.endPartnership(store, courier)
                let begun = try await together([(store, courier), (courier, store)]) {
                    try await api.call("PUT", "/v1/conversations/with/\($1.id)", as: $0.token)
                }
                try await ended
                #expect(begun.map(\.status).sorted() == [200, 201])
                let id = begun[0].json["id"].string ?? ""
                #expect(try await api.conversation(id, of: store)["can_write"] == false)
                #expect(try await api.say("Bok", in: id, as: courier).code == "partnership_ended")
            }
        }
    }

    @Test func `nothing is written after a partnership has ended, whatever comes at once`() async throws {
        try await ServedProduct.serving { api in
            for _ in 0..<10 {
                let (store, courier, id) = try await api.talk()
                async let ended: Void = api.endPartnership(store, courier)
                let answers = try await together(8) { try await api.say("Bok", in: id, as: courier) }
                try await ended
                #expect(answers.allSatisfy { $0.status == 201 || $0.code == "partnership_ended" })
                #expect(try await api.say("Bok", in: id, as: courier).code == "partnership_ended")
                #expect(try await api.said(in: id, as: store).count == answers.count { $0.status == 201 })
            }
        }
    }
}
