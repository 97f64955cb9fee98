import Domain
import HTTP
import Postgres
import TestSupport
import Testing

/// Conversations of stores and couriers.
@Suite(.database) struct TalkTests {
    @Test func `a store and its courier have one conversation, whoever begins`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let courier = couriers[0]
            let path = "/v1/conversations/with/"
            let begun = try await api.call("PUT", path + courier.id, as: store.token)
            #expect(begun.status == 201)
            let id = try #require(begun.json["id"].string)
            let expected: JSON = [
                "id": .string(id), "last_message": nil, "unread": 0, "read_up_to": 0, "hidden": false, "muted": false,
                "blocked": false, "can_write": true, "created_at": begun.json["created_at"],
            ]
            let ana: JSON = ["id": .string(courier.id), "kind": "courier", "name": "Ana Anić", "picture": nil]
            #expect(begun.json == expected.with(["with": ana]))
            let found = try await api.call("PUT", path + store.id, as: courier.token)
            let pekara: JSON = ["id": .string(store.id), "kind": "store", "name": "Pekara", "picture": nil]
            #expect(found.status == 200 && found.json == expected.with(["with": pekara]))
            #expect(try await api.call("PUT", path + courier.id, as: store.token).status == 200)
            #expect(try await api.conversation(id, of: courier) == found.json)
        }
    }

    @Test func `nobody talks to itself, to strangers or to its own kind`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            let (other, stranger) = (try await api.store(), try await api.courier())
            for (person, with) in [
                (store, store), (courier, courier), (store, other), (store, stranger), (other, courier),
                (courier, stranger),
            ] {
                #expect(try await api.call("PUT", "/v1/conversations/with/\(with.id)", as: person.token).status == 404)
            }
            for outsider in [other, stranger] {
                let path = "/v1/conversations/\(id)"
                #expect(try await api.get(path, as: outsider.token).status == 404)
                #expect(try await api.get(path + "/messages", as: outsider.token).status == 404)
                #expect(try await api.say("Bok", in: id, as: outsider).status == 404)
                #expect(try await api.read(id, upTo: 1, as: outsider).status == 404)
                #expect(try await api.change(id, ["muted": true], as: outsider).status == 404)
                #expect(try await api.call("DELETE", path, as: outsider.token).status == 404)
            }
            #expect(try await api.execute("SELECT count(*) FROM conversations") == [["1"]])
        }
    }

    @Test func `what is said is there for both, and counted until it is read`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            let said = try await api.say("Nitko ne otvara.\nŠto sad?", in: id, as: courier)
            #expect(said.status == 201)
            #expect(
                said.json.without("id", "at") == [
                    "seq": 1, "from": ["kind": "courier", "id": .string(courier.id)],
                    "text": "Nitko ne otvara.\nŠto sad?", "deleted": false,
                ])
            _ = try await api.say("Pozvoni susjedi", in: id, as: store)
            let last = try await api.say("Hvala", in: id, as: courier)
            let list = try await api.get("/v1/conversations/\(id)/messages", as: store.token)
            #expect(list.items.map { $0["seq"] } == [3, 2, 1] && list.items[0] == last.json)
            let seen = try await api.conversation(id, of: store)
            #expect(seen["unread"] == 2 && seen["last_message"] == last.json && seen["read_up_to"] == 0)
            #expect(try await api.conversation(id, of: courier)["unread"] == 1)
            #expect(try await api.get("/v1/conversations", as: store.token).json["unread"] == 2)
            let one = try await api.read(id, upTo: 1, as: store)
            #expect(one.status == 200 && one.json["unread"] == 1)
            #expect(try await api.conversation(id, of: courier)["read_up_to"] == 1)
            // Only forwards, and not beyond the end.
            #expect(try await api.read(id, upTo: 99, as: store).json["unread"] == 0)
            #expect(try await api.read(id, upTo: 1, as: store).json["unread"] == 0)
            #expect(try await api.conversation(id, of: courier)["read_up_to"] == 3)
            #expect(try await api.read(id, upTo: -1, as: store).wrong == ["up_to": "out_of_range"])
            #expect(try await api.get("/v1/conversations", as: store.token).json["unread"] == 0)
        }
    }

    @Test func `what was said comes in pages of fifty, each once, whatever is said meanwhile`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            for number in 1...101 { _ = try await api.say("\(number)", in: id, as: number % 3 == 0 ? store : courier) }
            let path = "/v1/conversations/\(id)/messages"
            var (pages, cursor): ([[Int?]], String?) = ([], nil)
            repeat {
                let page = try await api.get(path + (cursor.map { "?cursor=\($0)" } ?? ""), as: store.token)
                pages.append(page.items.map { $0["seq"].integer })
                cursor = page.json["next_cursor"].string
                _ = try await api.say("Još nešto", in: id, as: courier)
            } while cursor != nil
            #expect(pages == [Array((52...101).reversed()), Array((2...51).reversed()), [1]])
            #expect(try await api.get(path + "?cursor=x", as: store.token).wrong == ["cursor": "invalid_cursor"])
        }
    }

    @Test func `a message says something, within bounds`() async throws {
        try await ServedProduct.serving { api in
            let (store, _, id) = try await api.talk()
            let path = "/v1/conversations/\(id)/messages"
            for body: JSON in [[:], ["text": ""], ["text": nil], ["text": " \n "]] {
                let wrong = try await api.post(path, body, as: store.token)
                #expect(wrong.status == 422 && wrong.wrong == ["text": "required"], "\(body)")
            }
            let long = String(repeating: "š", count: 2001)
            #expect(try await api.say(long, in: id, as: store).wrong == ["text": "too_long"])
            #expect(try await api.say(String(long.dropLast()), in: id, as: store).status == 201)
            let nobodys: JSON = ["file_id": .string(ID(high: 1, low: 1).description)]
            let unknown = try await api.post(path, nobodys, as: store.token)
            #expect(unknown.status == 422 && unknown.code == "unknown_file")
        }
    }

    @Test func `a picture hangs on one message, and both sides see it`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            let (other, stranger) = (try await api.store(), try await api.courier())
            let picture = try await api.picture(of: courier, Pictures.jpeg(64, 48))
            let file: JSON = .string(picture.description)
            #expect(try await api.look(at: picture, as: store).status == 404)
            let path = "/v1/conversations/\(id)/messages"
            #expect(try await api.post(path, ["file_id": file], as: store.token).code == "unknown_file")
            let said = try await api.post(path, ["file_id": file], as: courier.token)
            #expect(said.status == 201 && said.json["text"] == nil)
            #expect(said.json["file"] == ["id": file, "width": 64, "height": 48])
            for person in [store, courier] { #expect(try await api.look(at: picture, as: person).status == 200) }
            for person in [other, stranger] { #expect(try await api.look(at: picture, as: person).status == 404) }
            // The camera's words are not in it.
            #expect(try await !api.look(at: picture, as: store).text.contains("SECRET"))
            // It hangs there alone.
            #expect(try await api.post(path, ["file_id": file], as: courier.token).code == "unknown_file")
            let taken = try await api.delivery(of: store, to: [courier])
            try await api.act("accept", taken, as: courier)
            #expect(try await api.act("deliver", taken, as: courier, ["photo_ids": [file]]).code == "unknown_file")
            let again = try await api.call("PATCH", "/v1/me", ["picture": file], as: courier.token)
            #expect(again.code == "unknown_file")
            // It is no loose one, however old it becomes.
            try await api.makeWeeks(of: ["files"], ago: "2 hours")
            try await api.execute(
                "UPDATE files SET id = first_uuid(now() - interval '2 hours') WHERE id = '\(picture)'")
            #expect(try await api.execute("SELECT drop_loose_files()") == [["0"]])
        }
    }

    @Test func `a message speaks of a delivery that both see`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.conversation(couriers[0], with: store)
            let (hers, others) = (
                try await api.delivery(of: store, to: [couriers[0]]),
                try await api.delivery(of: store, to: [couriers[1]])
            )
            let about: (String) -> [String: JSON] = { ["delivery_id": .string($0)] }
            let said = try await api.say("Kamo?", in: id, as: couriers[0], about(hers))
            #expect(said.status == 201 && said.json["delivery"] == ["id": .string(hers)])
            #expect(try await api.say("Tamo", in: id, as: store, about(hers)).status == 201)
            let strange = ID(high: 1, low: 1).description
            // What she carries for another store is nothing of this one's.
            let elsewhere = try await api.store()
            try await api.join(elsewhere, couriers[0])
            let theirs = try await api.delivery(of: elsewhere, to: [couriers[0]])
            try await api.act("accept", theirs, as: couriers[0])
            let refusedOnes = [
                (couriers[0], others), (store, others), (store, strange), (couriers[0], theirs), (store, theirs),
            ]
            for (person, delivery) in refusedOnes {
                let refused = try await api.say("?", in: id, as: person, about(delivery))
                #expect(refused.status == 422 && refused.wrong == ["delivery_id": "unknown_delivery"])
            }
            // Nor of one that one of them sees no more.
            let both = try await api.delivery(of: store, to: couriers)
            #expect(try await api.say("Tvoja?", in: id, as: store, about(both)).status == 201)
            try await api.act("accept", both, as: couriers[1])
            for person in [store, couriers[0]] {
                let refused = try await api.say("?", in: id, as: person, about(both))
                #expect(refused.status == 422 && refused.wrong == ["delivery_id": "unknown_delivery"])
            }
        }
    }

    @Test func `an author takes a message back within ten minutes, and its place stays`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            let picture = try await api.picture(of: courier)
            let about = try await api.delivery(of: store, to: [courier])
            let more: [String: JSON] = [
                "file_id": .string(picture.description), "delivery_id": .string(about),
            ]
            let said = try await api.say("Krivo", in: id, as: courier, more, key: "one")
            let second = try await api.say("Točno", in: id, as: courier)
            #expect(try await api.takeBack(said.json, in: id, as: store).status == 403)
            #expect(try await api.takeBack(["id": .string(id)], in: id, as: courier).status == 404)
            #expect(try await api.takeBack(said.json, in: id, as: courier).status == 204)
            #expect(try await api.takeBack(said.json, in: id, as: courier).status == 204)
            let left = try await api.said(in: id, as: store)
            let gone = said.json.with(["text": nil, "deleted": true]).without("file", "delivery")
            #expect(left == [gone, second.json])
            #expect(try await api.conversation(id, of: store)["unread"] == 1)
            #expect(try await api.look(at: picture, as: courier).status == 404)
            #expect(try await api.execute("SELECT FROM file_pieces") == [])
            // What is asked for again is not told once more.
            #expect(try await api.say("Krivo", in: id, as: courier, more, key: "one").status == 404)
        }
    }

    @Test func `what is older than ten minutes stays said`() async throws {
        try await ServedProduct.serving { api in
            let (_, courier, id) = try await api.talk()
            let old = "first_uuid(date_trunc('milliseconds', now() - interval '10 minutes 1 second'))"
            try await api.makeWeeks(of: ["conversation_messages"], ago: "11 minutes")
            try await api.execute(
                """
                INSERT INTO conversation_messages (conversation_id, at, seq, id, from_store, text)
                SELECT '\(id)', date_trunc('milliseconds', now() - interval '10 minutes 1 second'), 1, \(old), false, 'Staro'
                """)
            try await api.execute("UPDATE conversations SET last_seq = 1, store_unread = 1")
            let message = try await api.said(in: id, as: courier)[0]
            let late = try await api.takeBack(message, in: id, as: courier)
            #expect(late.status == 409 && late.code == "too_late")
            #expect(try await api.said(in: id, as: courier) == [message])
        }
    }

    @Test func `a conversation is put away for oneself alone, until the next message`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            _ = try await api.say("Bok", in: id, as: courier)
            #expect(try await api.call("DELETE", "/v1/conversations/\(id)", as: store.token).status == 204)
            func listed(_ person: Person, hidden: Bool = false) async throws -> [String] {
                try await api.get("/v1/conversations" + (hidden ? "?hidden=true" : ""), as: person.token).items
                    .compactMap { $0["id"].string }
            }
            #expect(try await listed(store) == [])
            #expect(try await listed(store, hidden: true) == [id])
            #expect(try await listed(courier) == [id])
            #expect(try await listed(courier, hidden: true) == [])
            #expect(try await api.conversation(id, of: store)["hidden"] == true)
            #expect(try await api.said(in: id, as: store).count == 1)
            #expect(try await api.get("/v1/conversations", as: store.token).json["unread"] == 0)
            _ = try await api.say("Jesi li tu?", in: id, as: courier)
            #expect(try await listed(store) == [id])
            #expect(try await api.said(in: id, as: store).map { $0["text"] } == ["Bok", "Jesi li tu?"])
            #expect(try await api.conversation(id, of: store)["unread"] == 2)
        }
    }

    @Test func `after the end it can be read, and a new partnership goes on with it`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            _ = try await api.say("Bok", in: id, as: courier)
            try await api.endPartnership(store, courier)
            for person in [store, courier] {
                #expect(try await api.conversation(id, of: person)["can_write"] == false)
                #expect(try await api.said(in: id, as: person).count == 1)
                let refused = try await api.say("Halo", in: id, as: person)
                #expect(refused.status == 403 && refused.code == "partnership_ended")
            }
            #expect(try await api.conversation(store, with: courier) == id)
            #expect(try await api.read(id, upTo: 1, as: store).status == 200)
            try await api.join(store, courier)
            #expect(try await api.conversation(id, of: store)["can_write"] == true)
            #expect(try await api.say("Opet", in: id, as: store).json["seq"] == 2)
            // Whoever is kept away for a time is written to again afterwards.
            try await api.execute("UPDATE partners SET courier_off = true")
            #expect(try await api.say("Halo", in: id, as: store).code == "partnership_ended")
            try await api.execute("UPDATE partners SET courier_off = false")
            #expect(try await api.say("Halo", in: id, as: store).status == 201)
        }
    }

    @Test func `who were partners before they ever talked begin what nobody writes in`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
            _ = try await api.post("/v1/partners", ["code": made["code"]], as: courier.token)
            try await api.endPartnership(store, courier)
            let begun = try await api.call("PUT", "/v1/conversations/with/\(store.id)", as: courier.token)
            #expect(begun.status == 201 && begun.json["can_write"] == false)
        }
    }

    @Test func `a former partner is found who was invited by a number that is another's now`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, other) = (try await api.store(), try await api.courier(), try await api.courier())
            let phone = SamplePeople.phone()
            try await api.joinByNumber(store, courier, phone)
            try await api.endPartnership(store, courier)
            for (person, number) in [(courier, SamplePeople.phone()), (other, phone)] {
                try await api.execute("UPDATE couriers SET phone = '\(number)' WHERE id = '\(person.id)'")
            }
            let path = "/v1/conversations/with/"
            #expect(try await api.call("PUT", path + other.id, as: store.token).status == 404)
            #expect(try await api.call("PUT", path + store.id, as: other.token).status == 404)
            #expect(try await api.call("PUT", path + courier.id, as: store.token).status == 201)
            #expect(try await api.call("PUT", path + store.id, as: courier.token).status == 200)
        }
    }

    @Test func `a courier blocks a store, and nobody else does`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            #expect(try await api.change(id, ["blocked": true], as: store).status == 403)
            let blocked = try await api.change(id, ["blocked": true], as: courier)
            #expect(blocked.json["blocked"] == true && blocked.json["can_write"] == true)
            let refused = try await api.say("Halo", in: id, as: store)
            #expect(refused.status == 403 && refused.code == "blocked_by_courier")
            #expect(try await api.conversation(id, of: store)["can_write"] == false)
            #expect(try await api.say("Javit ću se", in: id, as: courier).status == 201)
            #expect(try await api.said(in: id, as: store).count == 1)
            _ = try await api.change(id, ["blocked": false], as: courier)
            #expect(try await api.say("Halo", in: id, as: store).status == 201)
        }
    }

    @Test func `both hear that one is blocked, and nobody hears what is one's own`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            for change: JSON in [
                ["muted": true], ["blocked": false], ["blocked": true, "muted": false], ["blocked": true],
            ] {
                #expect(try await api.change(id, change, as: courier).status == 200)
            }
            _ = try await api.change(id, ["muted": true], as: store)
            _ = try await api.call("DELETE", "/v1/conversations/\(id)", as: courier.token)
            let path = "/v1/conversations/\(id)"
            for person in [store, courier] {
                try await api.expectEvents(["conversation.changed"], of: person)
                let data = try await api.get("/v1/events", as: person.token).items[0]["data"]
                let now = try await api.get(path, as: person.token).json
                #expect(data == ["conversation_id": .string(id), "conversation": now])
                #expect(now["blocked"] == true && now["can_write"].bool == (person.id == courier.id))
            }
            // Of two who say so at once one has changed something.
            _ = try await together(6) { try await api.change(id, ["blocked": false], as: courier) }
            for person in [store, courier] {
                try await api.expectEvents(["conversation.changed", "conversation.changed"], of: person)
            }
            #expect(try await api.conversation(id, of: store)["can_write"] == true)
        }
    }

    @Test func `the latest comes first, page by page, and is found by name and number`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            var (ids, people): ([String], [Person]) = ([], [])
            for name in [("Ana", "Anić"), ("Šime", "Đurić"), ("Ivo", "Babić")] {
                let courier = try await api.courier(name: name)
                try await api.join(store, courier)
                ids.append(try await api.conversation(store, with: courier))
                people.append(courier)
            }
            for place in [1, 0, 2] { _ = try await api.say("Bok", in: ids[place], as: people[place]) }
            var (listed, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await api.get(
                    "/v1/conversations?limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""), as: store.token)
                listed += page.items.compactMap { $0["id"].string }
                cursor = page.json["next_cursor"].string
            } while cursor != nil
            #expect(listed == [ids[2], ids[0], ids[1]])
            func found(_ text: String, _ person: Person) async throws -> [String] {
                try await api.get("/v1/conversations?q=\(text)", as: person.token).items.compactMap { $0["id"].string }
            }
            #expect(try await found("sime%20dur", store) == [ids[1]])
            #expect(try await found("i", store) == [ids[2]])
            #expect(try await found(String(people[0].login.suffix(6)), store) == [ids[0]])
            #expect(try await found("nitko", store) == [])
            #expect(try await found("peka", people[0]) == [ids[0]])
            #expect(try await found("mesnica", people[0]) == [])
            #expect(
                try await api.get("/v1/conversations?cursor=x", as: store.token).wrong == ["cursor": "invalid_cursor"])
        }
    }

    @Test func `both hear of what is said, read and taken back, as it is now`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            let said = try await api.say("Bok", in: id, as: courier)
            try await api.expectEvents(["message.created"], of: store)
            let event = try await api.get("/v1/events", as: store.token).items[0]
            #expect(event["data"]["message"] == said.json && event["data"]["conversation_id"].string == id)
            #expect(event["data"]["conversation"] == (try await api.conversation(id, of: store)))
            _ = try await api.read(id, upTo: 1, as: store)
            _ = try await api.takeBack(said.json, in: id, as: courier)
            for person in [store, courier] {
                try await api.expectEvents(["message.created", "message.read", "message.deleted"], of: person)
                let events = try await api.get("/v1/events", as: person.token).items
                #expect(events[0]["data"]["message"]["text"] == nil && events[0]["data"]["message"]["deleted"] == true)
                #expect(events[1]["data"]["by"] == "store" && events[1]["data"]["read_up_to"] == 1)
                #expect(events[2]["data"]["message"]["deleted"] == true)
                #expect(events[2]["data"]["conversation"]["last_message"]["text"] == nil)
            }
            #expect(try await api.execute("SELECT FROM events WHERE data::text LIKE '%Bok%'") == [])
        }
    }

    @Test func `an account says what it answers often`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let path = "/v1/me/quick_answers"
            #expect(try await api.get(path, as: store.token).json == ["texts": nil])
            let mine: JSON = ["texts": ["Stižem", "Nitko ne otvara"]]
            #expect(try await api.call("PUT", path, mine, as: courier.token).json == mine)
            #expect(try await api.get(path, as: courier.token).json == mine)
            #expect(try await api.get(path, as: store.token).json == ["texts": nil])
            let none: JSON = ["texts": []]
            #expect(try await api.call("PUT", path, none, as: courier.token).json == none)
            #expect(try await api.call("PUT", path, ["texts": nil], as: courier.token).json == ["texts": nil])
            #expect(try await api.get(path, as: courier.token).json == ["texts": nil])
            let many: JSON = ["texts": .array((1...13).map { .string("\($0)") })]
            #expect(try await api.call("PUT", path, many, as: courier.token).wrong == ["texts": "too_many"])
            #expect(try await api.call("PUT", path, ["texts": [" "]], as: courier.token).wrong == ["texts": "required"])
        }
    }
}
