import Domain
import HTTP
import Postgres
import TestSupport
import Testing

/// What is counted as unread is what is there and was not read, and what waits to be told is so, whatever both sides do.
@Suite(.database) struct TalkModelTests {
    /// A conversation as it must be.
    private struct Model {
        var said: [(isFromStore: Bool, id: String, isDeleted: Bool)] = []
        var read: [Bool: Int] = [true: 0, false: 0]

        func unread(byStore: Bool) -> Int {
            said.enumerated().count { place, message in
                place >= read[byStore]! && message.isFromStore != byStore && !message.isDeleted
            }
        }
    }

    @Test(arguments: 1...6) func `unread is exact, and notices are true, after any steps`(_ number: Int) async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            for person in [store, courier] {
                _ = try await api.call("PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
            }
            var chance = Seed.forThisRun(unless: UInt64(number))
            var model = Model()
            for _ in 0..<120 {
                let isStore = Bool.random(using: &chance)
                let person = isStore ? store : courier
                switch Int.random(in: 0..<10, using: &chance) {
                case 0...4:
                    let answer = try await api.say("Bok", in: id, as: person)
                    #expect(answer.json["seq"].integer == model.said.count + 1)
                    model.said.append((isStore, answer.json["id"].string ?? "", false))
                case 5...6:
                    let upTo = Int.random(in: 0...model.said.count + 2, using: &chance)
                    _ = try await api.read(id, upTo: upTo, as: person)
                    model.read[isStore] = max(model.read[isStore]!, min(upTo, model.said.count))
                case 7...8:
                    guard let place = model.said.indices.randomElement(using: &chance) else { continue }
                    let answer = try await api.takeBack(["id": .string(model.said[place].id)], in: id, as: person)
                    let isOwn = model.said[place].isFromStore == isStore
                    #expect(answer.status == (isOwn ? 204 : 403))
                    if isOwn { model.said[place].isDeleted = true }
                case 9 where Bool.random(using: &chance):
                    // Neither has it open any more, as far as one knows.
                    try await api.execute("UPDATE conversations SET store_read_at = NULL, courier_read_at = NULL")
                default:
                    // What is put away is counted all the same.
                    _ = try await api.call("DELETE", "/v1/conversations/\(id)", as: person.token)
                }
                try await expect(api, id, store, courier, model)
            }
        }
    }

    private func expect(
        _ api: ServedProduct, _ id: String, _ store: Person, _ courier: Person, _ model: Model
    ) async throws {
        for (person, isStore) in [(store, true), (courier, false)] {
            let seen = try await api.conversation(id, of: person)
            #expect(seen["unread"].integer == model.unread(byStore: isStore))
            #expect(seen["read_up_to"].integer == model.read[!isStore])
        }
        // Whatever waits to be told is so.
        let untrue = """
            SELECT m.data->>'seq' FROM message_queue q JOIN messages m ON m.id = q.id
            WHERE q.kind = 'message_received' AND NOT is_still_true(m)
            """
        #expect(try await api.execute(untrue) == [])
    }

    @Test func `unread is exact after many did all of this at once`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            _ = try await together(Array(0..<6)) { number in
                let person = number % 2 == 0 ? store : courier
                for step in 1...15 {
                    let said = try await api.say("Bok", in: id, as: person)
                    if step % 3 == 0 { _ = try await api.takeBack(said.json, in: id, as: person) }
                    if step % 4 == 0 { _ = try await api.read(id, upTo: Int.random(in: 0...90), as: person) }
                }
            }
            #expect(
                try await api.execute(
                    """
                    SELECT c.id FROM conversations c, LATERAL (
                        SELECT count(*) FILTER (WHERE NOT from_store AND NOT deleted AND seq > c.store_read) AS of_store,
                            count(*) FILTER (WHERE from_store AND NOT deleted AND seq > c.courier_read) AS of_courier,
                            count(*) AS said, count(DISTINCT seq) AS numbers, max(seq) AS last
                        FROM conversation_messages WHERE conversation_id = c.id) m
                    WHERE (store_unread, courier_unread, last_seq) <> (of_store, of_courier, last) OR said <> numbers
                        OR said <> last OR said <> 90
                    """) == [])
        }
    }
}
