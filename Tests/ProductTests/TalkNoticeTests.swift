import Domain
import HTTP
import Postgres
import TestSupport
import Testing

/// Who is told of a message, and what becomes of that.
@Suite(.database) struct TalkNoticeTests {
    /// Two who talk, each with a device.
    private func talk(_ api: ServedProduct) async throws -> (store: Person, courier: Person, id: String) {
        let (store, courier, id) = try await api.talk()
        for person in [store, courier] {
            _ = try await api.call("PUT", "/v1/me/devices/of-\(person.id)", ["platform": "fcm"], as: person.token)
        }
        return (store, courier, id)
    }

    private func waiting(_ api: ServedProduct, for person: Person) async throws -> [String] {
        try await api.execute(
            """
            SELECT m.body FROM message_queue q JOIN messages m ON m.id = q.id
            WHERE q.kind = 'message_received' AND q.account_id = '\(person.id)' ORDER BY q.seq
            """
        ).compactMap { $0[0] }
    }

    @Test func `a lively conversation makes one notice that waits, of what was said last`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await talk(api)
            for number in 1...40 { _ = try await api.say("Poruka \(number)", in: id, as: courier) }
            #expect(try await waiting(api, for: store) == ["Ana Anić: Poruka 40"])
            #expect(try await waiting(api, for: courier).isEmpty)
            _ = try await together(Array(1...20)) { try await api.say("Odgovor \($0)", in: id, as: store) }
            #expect(try await waiting(api, for: courier).count == 1)
            // Each conversation has its own.
            let second = try await api.courier(name: ("Ivo", "Babić"))
            try await api.join(store, second)
            _ = try await api.say("Bok", in: try await api.conversation(second, with: store), as: second)
            #expect(try await waiting(api, for: store) == ["Ana Anić: Poruka 40", "Ivo Babić: Bok"])
            let key = try await api.key()
            let claimed = try await api.claim(key, channel: "push")
            #expect(claimed.first?["data"]["conversation_id"].string == id)
            #expect(claimed.first?["title"] == "New message")
        }
    }

    @Test func `a notice is withdrawn when everything is read`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await talk(api)
            for text in ["Jedan", "Dva"] { _ = try await api.say(text, in: id, as: courier) }
            _ = try await api.read(id, upTo: 1, as: store)
            #expect(try await waiting(api, for: store).count == 1)
            _ = try await api.read(id, upTo: 2, as: store)
            #expect(try await waiting(api, for: store).isEmpty)
            // One that a gateway has is not tried again.
            let other = try await talk(api)
            _ = try await api.say("Bok", in: other.id, as: other.courier)
            let key = try await api.key()
            let claimed = try await api.claim(key, channel: "push")
            #expect(claimed.count == 1)
            _ = try await api.read(other.id, upTo: 1, as: other.store)
            #expect(try await api.tell(key, "nack", claimed, ["reason": "busy"]) == ["dead"])
        }
    }

    @Test func `what is read or followed is told no more, though something else is left to read`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await talk(api)
            for text in ["Jedan", "Dva"] { _ = try await api.say(text, in: id, as: courier) }
            // Now it has the conversation open, and is not told of what comes.
            _ = try await api.read(id, upTo: 1, as: store)
            #expect(try await waiting(api, for: store) == ["Ana Anić: Dva"])
            let last = try await api.say("Tri", in: id, as: courier)
            #expect(try await waiting(api, for: store).isEmpty)
            _ = try await api.read(id, upTo: 2, as: store)
            #expect(try await waiting(api, for: store).isEmpty)
            #expect(try await api.conversation(id, of: store)["unread"] == 1)
            // Whoever takes back what nobody was told of has nobody told of what was read.
            _ = try await api.takeBack(last.json, in: id, as: courier)
            #expect(try await waiting(api, for: store).isEmpty)
        }
    }

    @Test func `who has the conversation open, or has muted it, is not told`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await talk(api)
            _ = try await api.read(id, upTo: 0, as: store)
            _ = try await api.say("Bok", in: id, as: courier)
            #expect(try await waiting(api, for: store).isEmpty)
            // Twenty seconds later nobody knows whether it still looks.
            try await api.execute("UPDATE conversations SET store_read_at = store_read_at - interval '20 seconds'")
            _ = try await api.say("Halo", in: id, as: courier)
            #expect(try await waiting(api, for: store) == ["Ana Anić: Halo"])
            _ = try await api.change(id, ["muted": true], as: store)
            #expect(try await waiting(api, for: store).isEmpty)
            _ = try await api.say("Halo?", in: id, as: courier)
            #expect(try await waiting(api, for: store).isEmpty)
            #expect(try await api.conversation(id, of: store)["unread"] == 3)
            _ = try await api.change(id, ["muted": false], as: store)
            _ = try await api.say("Tu?", in: id, as: courier)
            #expect(try await waiting(api, for: store) == ["Ana Anić: Tu?"])
        }
    }

    @Test func `what is taken back is told by no notice, and stands in none that was sent`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await talk(api)
            let first = try await api.say("Tajna", in: id, as: courier)
            let second = try await api.say("Javno", in: id, as: courier)
            _ = try await api.takeBack(first.json, in: id, as: courier)
            #expect(try await waiting(api, for: store) == ["Ana Anić: Javno"])
            _ = try await api.takeBack(second.json, in: id, as: courier)
            #expect(try await waiting(api, for: store).isEmpty)
            #expect(try await api.execute("SELECT FROM messages WHERE body ~ 'Tajna|Javno'") == [])
        }
    }

    @Test func `what is not read is told when what came after it is taken back, once`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await talk(api)
            var said: [JSON] = []
            for text in ["Jedan", "Dva", "Tri"] { said.append(try await api.say(text, in: id, as: courier).json) }
            _ = try await api.say("Odgovor", in: id, as: store)
            // It is not the last, and no notice tells of it.
            _ = try await api.takeBack(said[0], in: id, as: courier)
            #expect(try await waiting(api, for: store) == ["Ana Anić: Tri"])
            for _ in 0..<2 {
                _ = try await api.takeBack(said[2], in: id, as: courier)
                #expect(try await waiting(api, for: store) == ["Ana Anić: Dva"])
            }
            #expect(try await waiting(api, for: courier) == ["Pekara: Odgovor"])
            // Whoever has read it is told nothing, and neither is who has been told.
            _ = try await api.read(id, upTo: 3, as: store)
            try await api.execute("UPDATE conversations SET store_read_at = store_read_at - interval '20 seconds'")
            _ = try await api.say("Četiri", in: id, as: courier)
            let last = try await api.say("Pet", in: id, as: courier).json
            let claimed = try await api.claim(try await api.key(), channel: "push")
            #expect(claimed.count == 2)
            _ = try await api.takeBack(last, in: id, as: courier)
            #expect(try await waiting(api, for: store).count == 1)
        }
    }

    /// Its phone has rung for it already.
    @Test func `who was told of what came before is not told again when the last is taken back`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await talk(api)
            let key = try await api.key()
            _ = try await api.say("Dva", in: id, as: courier)
            let arrived = try await api.claim(key, channel: "push", wait: 10)
            #expect(try await api.tell(key, "ack", arrived) == ["done"])
            let last = try await api.say("Tri", in: id, as: courier).json
            #expect(try await waiting(api, for: store) == ["Ana Anić: Tri"])
            _ = try await api.takeBack(last, in: id, as: courier)
            #expect(try await waiting(api, for: store).isEmpty)
        }
    }

    @Test func `a picture without words is told as one`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await talk(api)
            let picture = try await api.picture(of: courier)
            _ = try await api.post(
                "/v1/conversations/\(id)/messages", ["file_id": .string(picture.description)], as: courier.token)
            #expect(try await waiting(api, for: store) == ["Ana Anić has sent a picture"])
        }
    }
}
