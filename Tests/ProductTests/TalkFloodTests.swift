import Domain
import EventLoop
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Talk

/// What comes of messages that have to wait.
@Suite(.database) struct TalkFloodTests {
    private func hold(_ ids: [String]) async throws -> OpenTransaction {
        let holder = try await OpenTransaction.begin()
        for id in ids { try await holder.query("SELECT FROM conversations WHERE id = '\(id)' FOR UPDATE") }
        return holder
    }

    /// Says all of this at once, on the first loop, and gives how many are said.
    private func say(
        _ contents: [SaidMessage.Content], in id: String, as person: Person, _ api: ServedProduct
    ) async throws -> Int {
        let (conversation, author) = (try #require(ID(id)), try #require(ID(person.id)))
        return await api.group.loops[0].run {
            await withTaskGroup(of: Bool.self) { tasks in
                for content in contents {
                    let utterance = Utterance(
                        conversation: conversation, author: author, content: content, key: nil, record: { _ in nil })
                    tasks.addTask(executorPreference: api.group.loops[0]) {
                        if case .made = try? await api.messages.commit(utterance) { true } else { false }
                    }
                }
                return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
    }

    private func words(_ count: Int) -> [SaidMessage.Content] {
        (1...count).map { SaidMessage.Content(text: "\($0)", picture: nil, delivery: nil) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `of too many that wait none is lost, and who comes then is asked to come again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let (id, free) = (
                try await api.conversation(store, with: couriers[0]),
                try await api.conversation(store, with: couriers[1])
            )
            let holder = try await hold([id])
            let filling = Task { try await say(words(4400), in: id, as: store, api) }
            try await eventually { await api.messages.counts.outcomes[.turnedAway]! > 0 }
            // Those that a commit has taken up have made room for as many.
            let more = Task { try await say(words(300), in: id, as: store, api) }
            try await eventually { await api.messages.counts.waiting == 4096 }
            let refused = try await api.server.reply(
                to: """
                    POST /v1/conversations/\(free)/messages HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(store.token)\r\n\
                    Content-Type: application/json\r\n\r\n
                    """, body: Array(#"{"text":"Bok"}"#.utf8), on: api.group.loops[0])
            #expect(refused.status == 503 && refused.code == "unavailable" && refused.header("retry-after") != nil)
            try await holder.commit()
            let made = try await filling.value + more.value
            #expect(made >= 4096)
            let kept = "SELECT count(*), min(seq), max(seq), count(DISTINCT seq) FROM conversation_messages"
            #expect(try await api.execute(kept) == [["\(made)", "1", "\(made)", "\(made)"]])
            // They went together, in far fewer commits.
            let commits = "SELECT count(DISTINCT xmin::text) < 100 FROM conversation_messages"
            #expect(try await api.execute(commits) == [["t"]])
            #expect(try await api.conversation(id, of: couriers[0])["unread"].integer == made)
            #expect(try await api.say("Bok", in: free, as: store).status == 201)
            let counts = await api.messages.counts
            #expect(counts.waiting == 0 && counts.outcomes[.sent] == made + 1)
        }
    }

    @Test func `conversations that are held keep nobody else waiting, however many there are`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(7)
            var ids: [String] = []
            for courier in couriers { ids.append(try await api.conversation(store, with: courier)) }
            let (held, free) = (Array(ids.dropLast()), ids[6])
            let holder = try await hold(held)
            async let kept = together(held + held + held) { try await api.say("Bok", in: $0, as: store) }
            try await eventually { await api.messages.counts.waiting > 0 }
            try await api.untilSomebodyWaits()
            // On both loops, so that one passes over what the other holds for a moment.
            for _ in 0..<5 {
                let others = try await together(10) { try await api.say("Bok", in: free, as: store) }
                #expect(others.allSatisfy { $0.status == 201 })
            }
            try await holder.commit()
            #expect(try await kept.allSatisfy { $0.status == 201 })
            for id in held { #expect(try await api.said(in: id, as: store).map { $0["seq"] } == [1, 2, 3]) }
        }
    }

    /// Each goes alone then, and still in order.
    @Test func `a picture that is none any more keeps nobody from being heard`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier, id) = try await api.talk()
            var contents = words(20)
            let gone = SaidMessage.Picture(id: ID(high: 1, low: 1), width: 1, height: 1)
            contents[6] = SaidMessage.Content(text: nil, picture: gone, delivery: nil)
            let holder = try await hold([id])
            let made = Task { [contents] in try await say(contents, in: id, as: courier, api) }
            try await api.untilSomebodyWaits()
            try await holder.commit()
            #expect(try await made.value == 19)
            let said = try await api.said(in: id, as: store).compactMap { $0["text"].string }
            #expect(said == (1...20).filter { $0 != 7 }.map { "\($0)" })
            let counts = await api.messages.counts
            #expect(counts.outcomes[.sent] == 19 && counts.outcomes[.refused] == 1)
        }
    }
}
