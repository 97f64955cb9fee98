import Domain
import EventLoop
import HTTP
import Postgres
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

    @Test func `of a file that brings many at once each is heard of`() async throws {
        try await ServedProduct.serving { api in
            let (_, couriers) = try await api.team(1)
            try await api.say(SamplePlace.fix(away(0)), by: couriers[0])
            let stream = try await listen(api, couriers[0])
            try await api.execute(
                """
                SELECT import_roads(jsonb_agg(jsonb_build_object('kind', 'danger', 'road_type', 'city', 'title', n, 'lat', 45, 'lon', 15,
                    'source', 'hak', 'source_id', n)))
                FROM generate_series(1, 180) n
                """)
            var heard: Set<String> = []
            for _ in 0..<180 { heard.insert(try await next(stream)["title"].string ?? "") }
            #expect(heard.count == 180)
            stream.close()
        }
    }

    @Test func `whoever reads in time hears of all, and who reads slowly misses the oldest`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            func found(_ title: String, at meters: Double) async throws -> (courier: ID, report: RoadReport) {
                let id = try #require(ID(try await api.report(["title": .string(title)], at: meters, by: store)))
                let courier = try #require(ID(couriers[0].id))
                let find = FindRoadReport(account: courier, id: id, kinds: RoadKind.allCases)
                return (courier, try #require(try await api.database.run(find).first))
            }
            let (first, other) = (try await found("Prva", at: 0), try await found("Druga", at: 500))
            let many = Array(repeating: other, count: RoadBoard.atOnce)
            var board = RoadBoard()
            var place = board.begin(first.courier)
            // How many events there are to be taken, and how many of them are of the first report.
            func take() -> [Int] {
                let news = board.news(for: first.courier, after: place)
                place = news.place
                let text = String(decoding: news.lines, as: UTF8.self)
                return ["event: road", "Prva"].map { text.ranges(of: $0).count }
            }
            for _ in 0..<3 {
                #expect(board.take(many) == [first.courier])
                #expect(take() == [RoadBoard.atOnce, 0])
            }
            #expect(board.take([first]) == [first.courier] && take() == [1, 1] && take() == [0, 0])
            _ = board.take([first])
            _ = board.take(many)
            #expect(take() == [RoadBoard.atOnce, 0])
            // Each of two hears of it.
            let second = board.begin(first.courier)
            _ = board.take([first])
            #expect(take() == [1, 1])
            #expect(!board.news(for: first.courier, after: second).lines.isEmpty)
            board.end(first.courier)
            board.end(first.courier)
            #expect(board.take([first]).isEmpty)
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

    @Test func `what nobody listens for is not asked for, and of a crowd only so much is noted`() {
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
        for _ in 0..<3 { board.note(String(repeating: report.description, count: RoadBoard.waiting / 2)) }
        var count = 0
        while let due = board.due() { count += due.reports.count }
        #expect(count == RoadBoard.waiting)
    }
}
