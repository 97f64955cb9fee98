import API
import Domain
import EventLoop
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Places

/// Couriers who move, as stores watch them.
@Suite(.database, .timeLimit(.minutes(10))) struct PositionStreamTests {
    private func watch(_ api: ServedProduct, _ store: Person) async throws -> EventStream {
        let stream = try await EventStream(api, as: store, of: "/v1/positions")
        try #require(stream.status == 200)
        return stream
    }

    /// The next event of these types, as type and data.
    private func next(_ stream: EventStream) async throws -> (type: String, data: JSON) {
        while let event = try await stream.next() {
            #expect(event.id == nil)
            guard let type = event.type, type != "alive" else { continue }
            return (type, JSON(Array((event.data ?? "").utf8)) ?? .null)
        }
        throw CancellationError()
    }

    @Test func `a store sees its couriers where they are and as they move, on every node`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let other = try await api.store()
            try await api.join(other, couriers[0])
            try await api.share("always", by: couriers[0])
            try await api.say(SamplePlace.fix(ago: 5), by: couriers[0])
            try await ServedProduct.another(looseness: nil, trust: Trust()) { node in
                let streams = [try await watch(api, store), try await watch(node, store), try await watch(node, other)]
                for stream in streams {
                    let first = try await next(stream)
                    #expect(first.type == "position" && first.data["courier_id"].string == couriers[0].id)
                    #expect(first.data["position"]["lat"].double == SamplePlace.north.lat)
                }
                // Whoever was told of somebody a moment ago is told of it again only a second later.
                try await Task.sleep(for: .seconds(1))
                try await api.say(SamplePlace.fix(SamplePlace.door), by: couriers[0])
                let began = ContinuousClock.now
                for stream in streams {
                    let moved = try await next(stream)
                    #expect(moved.type == "position" && moved.data["position"]["lat"].double == SamplePlace.door.lat)
                    print("a move was told \(ContinuousClock.now - began) later")
                    stream.close()
                }
                // A second at most, of which that is what the node waits by itself.
                #expect(PositionTail.pause < .milliseconds(500))
            }
        }
    }

    @Test func `whose phone is silent for more than a minute was there, for who watches and who comes later`()
        async throws
    {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.share("always", by: couriers[0])
            try await api.say(SamplePlace.fix(), by: couriers[0])
            let stream = try await watch(api, store)
            #expect(try await next(stream).data["last_seen"] == .null)
            try await api.execute("UPDATE positions SET at = now() - interval '61 seconds'")
            let later = try await watch(api, store)
            for stream in [stream, later] {
                var event = try await next(stream)
                while event.data["position"] != .null { event = try await next(stream) }
                #expect(event.type == "position" && event.data["last_seen"]["lat"].double == SamplePlace.north.lat)
                stream.close()
            }
        }
    }

    @Test func `who is not seen any more is gone, and comes again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let stream = try await watch(api, store)
            try await api.act("accept", id, as: couriers[0])
            try await api.say(SamplePlace.fix(ago: 5), by: couriers[0])
            #expect(try await next(stream).type == "position")
            try await api.act("cancel", id, as: couriers[0])
            // On duty it goes on to say where it is, which is nobody's business now.
            try await api.say(SamplePlace.fix(ago: 3), by: couriers[0])
            let gone = try await next(stream)
            #expect(gone.type == "gone" && gone.data == ["courier_id": .string(couriers[0].id)])
            try await api.share("always", by: couriers[0])
            try await api.say(SamplePlace.fix(), by: couriers[0])
            #expect(try await next(stream).type == "position")
            try await api.setDuty(false, of: couriers[0])
            #expect(try await next(stream).type == "gone")
            stream.close()
        }
    }

    /// How it ends that a store sees a courier.
    enum Ending: CaseIterable {
        case offDuty, dutyOver, sharesLess, delivered, givenBack, cancelled, partnershipOver

        /// Whether it is seen for what it carries, and not because it shares that always.
        var isOfCarrying: Bool { [.delivered, .givenBack, .cancelled].contains(self) }
    }

    @Test(arguments: Ending.allCases)
    func `who begins is not shown whom it sees no more, whatever was shown beside it`(_ ending: Ending) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: [couriers[0]])
            if ending.isOfCarrying {
                try await api.act("accept", id, as: couriers[0])
            } else {
                try await api.share("always", by: couriers[0])
            }
            try await api.share("always", by: couriers[1])
            let beside = try await watch(api, store)
            for courier in couriers {
                try await api.say(SamplePlace.fix(), by: courier)
                while try await next(beside).data["courier_id"].string != courier.id {}
            }
            switch ending {
            case .offDuty: try await api.setDuty(false, of: couriers[0])
            case .dutyOver:
                try await api.execute(
                    "UPDATE couriers SET duty_until = now() - interval '1 second' WHERE id = '\(couriers[0].id)'")
            case .sharesLess: try await api.share("carrying", by: couriers[0])
            case .delivered: try await api.act("deliver", id, as: couriers[0])
            case .givenBack: try await api.act("cancel", id, as: couriers[0])
            case .cancelled: try await api.act("cancel", id, as: store)
            case .partnershipOver: _ = try await api.call("DELETE", "/v1/partners/\(couriers[0].id)", as: store.token)
            }
            let stream = try await watch(api, store)
            var event = try await next(stream)
            while event.data["courier_id"].string != couriers[1].id {
                #expect(event.type == "gone")
                event = try await next(stream)
            }
            #expect(event.type == "position")
            stream.close()
            beside.close()
        }
    }

    @Test func `nobody is told of a courier more often than once a second`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.share("always", by: couriers[0])
            let stream = try await watch(api, store)
            let moving = Task {
                for number in 0..<60 {
                    try await api.say(SamplePlace.fix(ago: 60 - Double(number)), by: couriers[0])
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            var times: [ContinuousClock.Instant] = []
            for _ in 0..<3 {
                #expect(try await next(stream).type == "position")
                times.append(.now)
            }
            try await moving.value
            // What the test itself is late by may shorten a gap as it sees it, but not all of them together.
            #expect(times[2] - times[0] > .milliseconds(1500))
            stream.close()
        }
    }

    @Test func `what was not heard is seen once the node hears again`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            for courier in couriers { try await api.share("always", by: courier) }
            try await api.say(SamplePlace.fix(ago: 30), by: couriers[0])
            let stream = try await watch(api, store)
            #expect(try await next(stream).data["courier_id"].string == couriers[0].id)
            // One has moved, and another one has come, without a word of it.
            try await api.execute(
                "INSERT INTO positions (courier_id, at, lat, lon, accuracy_m) VALUES ('\(couriers[1].id)', now(), 45, 16, 5)"
            )
            try await api.execute(
                "UPDATE positions SET at = now(), lat = 45.5 WHERE courier_id = '\(couriers[0].id)'")
            // What hears says so again and again while somebody asks for it, and so is found by what it asked last.
            var ended = 0
            while ended == 0 {
                _ = try await api.call("GET", "/v1/me", as: store.token)
                ended = try await api.execute(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND query = 'SELECT'
                    """
                ).count
            }
            var seen: [String: Double] = [:]
            while seen.count < 2 || seen[couriers[0].id] != 45.5 {
                let event = try await next(stream)
                seen[event.data["courier_id"].string ?? ""] = event.data["position"]["lat"].double
            }
            #expect(seen == [couriers[0].id: 45.5, couriers[1].id: 45])
            stream.close()
        }
    }

    @Test func `a stream ends with its session`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            try await api.share("always", by: couriers[0])
            let stream = try await watch(api, store)
            _ = try await api.call("DELETE", "/v1/sessions/current", as: store.token)
            try await api.say(SamplePlace.fix(), by: couriers[0])
            while let event = try await stream.next() { #expect(event.type != "position") }
            stream.close()
        }
    }
}

/// What a node tells those who watch, without a database.
@Suite struct PositionBoardTests {
    @Test func `what nobody watches is not asked for`() {
        var board = PositionBoard()
        let (courier, other, store) = (ID(high: 1, low: 2), ID(high: 5, low: 6), ID(high: 3, low: 4))
        func due(after announced: String) -> Set<ID> {
            board.note(announced)
            return Set(board.due(at: .now))
        }
        #expect(due(after: courier.description) == [])
        board.begin(store)
        #expect(due(after: courier.description + other.description) == [courier, other])
        #expect(due(after: "") == [])
        board.askAgain([courier])
        #expect(due(after: "") == [courier])
        board.end(store)
        #expect(due(after: courier.description) == [])
    }

    @Test func `who has just begun to watch is told no more often either, and others as ever`() {
        var board = PositionBoard()
        let (courier, new, old) = (ID(high: 1, low: 2), ID(high: 3, low: 4), ID(high: 5, low: 6))
        func position(_ second: Int64) -> SeenPosition {
            SeenPosition(
                courier: courier, firstName: "Ana", lastName: "Anić", at: Timestamp(microseconds: second * 1_000_000),
                lat: 45,
                lon: 16, accuracy: 5, speed: nil, heading: nil)
        }
        let begin = Instant.now
        func take(_ second: Int64, after time: Duration) -> Set<ID> {
            board.note(courier.description)
            let due = board.due(at: begin + time)
            return board.take([(position(second), [new, old])], of: due, at: begin + time)
        }
        board.begin(old)
        #expect(take(1, after: .zero) == [old])
        board.begin(new)
        board.show(position(2), to: new, at: begin + .milliseconds(900))
        #expect(take(3, after: .milliseconds(1100)) == [old])
        // What it was not told then it is told later, without another word of it.
        let due = board.due(at: begin + .milliseconds(2200))
        #expect(due == [courier])
        #expect(board.take([(position(3), [new, old])], of: due, at: begin + .milliseconds(2200)) == [new])
    }

    @Test func `where somebody is becomes where it was, told once, and to whoever begins only then`() {
        var board = PositionBoard()
        let (courier, store) = (ID(high: 1, low: 2), ID(high: 3, low: 4))
        let position = SeenPosition(
            courier: courier, firstName: "Ana", lastName: "Anić", at: Timestamp(microseconds: 0), lat: 45, lon: 16,
            accuracy: 5, speed: nil, heading: nil)
        let begin = Instant.now
        /// Whether what is told behind a place says where the courier is, or where it was; nil if nothing is told.
        func isThere(after place: Int, and couriers: Set<ID> = [], at second: Int64) -> Bool? {
            let lines = String(
                decoding: board.news(
                    for: store, after: place, and: couriers, clock: Timestamp(microseconds: second * 1_000_000)
                ).lines, as: UTF8.self)
            return lines.isEmpty ? nil : lines.contains(#""last_seen":null"#)
        }
        func take(at second: Int64) -> Set<ID> {
            board.take(
                [(position, [store])], of: [courier], at: begin + .seconds(second),
                clock: Timestamp(microseconds: second * 1_000_000))
        }
        board.begin(store)
        #expect(take(at: 1) == [store] && isThere(after: 0, at: 1) == true)
        #expect(take(at: 60) == [] && isThere(after: 1, at: 60) == nil)
        #expect(isThere(after: 1, and: [courier], at: 61) == false)
        #expect(take(at: 61) == [store] && isThere(after: 1, at: 61) == false)
        #expect(take(at: 70) == [] && isThere(after: 2, at: 70) == nil)
        // Whoever begins later sees that it was there.
        board.begin(store)
        board.show(position, to: store, at: begin + .seconds(71), clock: Timestamp(microseconds: 71_000_000))
        #expect(isThere(after: 2, and: [courier], at: 71) == false)
    }
}
