import Domain
import EventLoop
import HTTP
import TestSupport
import Testing

@testable import API
@testable import Road

/// What is new on the road, as couriers hear of it who are near.
@Suite(.database, .timeLimit(.minutes(10))) struct RoadStreamTests {
    private func listen(_ api: ServedProduct, _ courier: Person) async throws -> EventStream {
        let stream = try await EventStream(api, as: courier, of: "/v1/roads")
        try #require(stream.status == 200)
        return stream
    }

    private func next(_ stream: EventStream) async throws -> JSON {
        while let event = try await stream.next() {
            #expect(event.id == nil)
            guard event.type == "road" else { continue }
            return JSON(Array((event.data ?? "").utf8)) ?? .null
        }
        throw CancellationError()
    }

    /// Where the reports are, so many metres away.
    private func away(_ meters: Double) -> (lat: Double, lon: Double) { (45 + meters / 111_195.08, 15) }

    @Test func `who has just said to be within two kilometres hears of it, on every node`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(3)
            try await api.say(SamplePlace.fix(away(1990)), by: couriers[0])
            try await api.say(SamplePlace.fix(away(2010)), by: couriers[1])
            try await api.say(SamplePlace.fix(away(0)), by: couriers[2])
            try await api.execute(
                "UPDATE positions SET at = now() - interval '61 seconds' WHERE courier_id = '\(couriers[2].id)'")
            try await ServedProduct.another(looseness: nil, trust: Trust()) { node in
                let near = [try await listen(api, couriers[0]), try await listen(node, couriers[0])]
                let others = [try await listen(api, couriers[1]), try await listen(node, couriers[2])]
                let first = try await api.report(by: store)
                for stream in near {
                    let told = try await next(stream)
                    #expect(told["id"].string == first && told["distance_m"] == 1990 && told["state"] == "valid")
                    #expect(!told.names.contains("author_id"))
                }
                // The others hear first of what is near them.
                for (courier, node) in [(couriers[1], api), (couriers[2], node)] {
                    try await node.say(SamplePlace.fix(away(3000)), by: courier)
                }
                let second = try await node.report(["kind": "danger"], at: 3000, by: store)
                for stream in others { #expect(try await next(stream)["id"].string == second) }
                for stream in near + others { stream.close() }
            }
        }
    }

    @Test func `what comes by a file is heard as well, once`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.say(SamplePlace.fix(away(0)), by: couriers[0])
            let stream = try await listen(api, couriers[0])
            // More than one announcement holds, and the last of them near.
            let take = """
                SELECT import_roads(jsonb_agg(jsonb_build_object('kind', 'danger', 'road_type', 'city', 'title', n, 'lat',
                    CASE n WHEN 201 THEN 45 ELSE 46 END, 'lon', 15, 'source', 'hak', 'source_id', n)))
                FROM generate_series(1, 201) n
                """
            try await api.execute(take)
            #expect(try await next(stream)["title"] == "201")
            try await api.execute(take)
            let later = try await api.report(at: 500, by: store)
            #expect(try await next(stream)["id"].string == later)
            stream.close()
        }
    }

    @Test func `only couriers listen, and no longer than their session lasts`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let refused = try await api.get(
                "/v1/roads", as: store.token, headers: ["Accept": "text/event-stream"])
            #expect(refused.status == 403)
            try await api.say(SamplePlace.fix(away(0)), by: couriers[0])
            let stream = try await listen(api, couriers[0])
            _ = try await api.call("DELETE", "/v1/sessions/current", as: couriers[0].token)
            _ = try await api.report(by: store)
            while let event = try await stream.next() { #expect(event.type != "road") }
            stream.close()
        }
    }

    @Test func `what nobody listens for is not asked for, and who reads slowly misses the oldest`() {
        var board = RoadBoard()
        let (courier, report) = (ID(high: 1, low: 2), ID(high: 3, low: 4))
        board.note(report.description)
        #expect(board.due() == nil)
        let place = board.begin(courier)
        let many = (0..<250).map { ID(high: 7, low: UInt64($0)) }
        board.note(many.map(\.description).joined())
        let first = board.due()
        #expect(first?.couriers == [courier] && first?.reports == Array(many.prefix(200)))
        board.askAgain(first?.reports ?? [])
        #expect(board.due()?.reports.count == 200)
        #expect(board.due()?.reports == Array(many.suffix(50)))
        #expect(board.due() == nil)
        #expect(board.news(for: courier, after: place).lines.isEmpty)
        board.note(report.description)
        board.end(courier)
        _ = board.begin(courier)
        #expect(board.due() == nil)
    }
}
