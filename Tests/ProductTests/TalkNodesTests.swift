import API
import Domain
import HTTP
import TestSupport
import Testing

/// A conversation whose two sides are on different nodes.
@Suite(.database, .timeLimit(.minutes(10))) struct TalkNodesTests {
    /// The next events of a stream, as types and data.
    private func hear(_ stream: EventStream, _ count: Int) async throws -> [(type: String?, data: JSON)] {
        try await stream.take(count).map { ($0.type, JSON(Array(($0.data ?? "").utf8))?["data"] ?? .null) }
    }

    @Test func `what is said, read and taken back on one node is heard on the other as it is now`() async throws {
        try await ServedProduct.serving { here in
            let (store, courier, id) = try await here.talk()
            try await ServedProduct.another(looseness: nil, trust: Trust()) { there in
                let near = try await EventStream(here, as: store, query: "?after=now")
                let far = try await EventStream(there, as: courier, query: "?after=now")

                let said = try await here.say("Stiže li?", in: id, as: store)
                for stream in [near, far] {
                    let heard = try await hear(stream, 1)[0]
                    #expect(heard.type == "message.created" && heard.data["message"] == said.json)
                }
                #expect(try await there.conversation(id, of: courier)["unread"] == 1)

                #expect(try await there.read(id, upTo: 1, as: courier).status == 200)
                for stream in [near, far] {
                    let heard = try await hear(stream, 1)[0]
                    #expect(heard.type == "message.read" && heard.data["by"] == "courier")
                }
                #expect(try await here.conversation(id, of: courier)["unread"] == 0)

                let answered = try await there.say("Za pet minuta", in: id, as: courier)
                #expect(try await hear(near, 1)[0].data["message"] == answered.json)
                #expect(try await there.takeBack(answered.json, in: id, as: courier).status == 204)
                let heard = try await hear(near, 1)[0]
                #expect(heard.type == "message.deleted" && heard.data["conversation"]["unread"] == 0)
                #expect(try await here.said(in: id, as: store).last?["text"] == JSON.null)

                // One blocks the other there, and nothing more is said here.
                #expect(try await there.change(id, ["blocked": true], as: courier).status == 200)
                #expect(try await hear(near, 1)[0].type == "conversation.changed")
                #expect(try await here.say("Halo?", in: id, as: store).status == 403)
                for stream in [near, far] { stream.close() }
            }
        }
    }
}
