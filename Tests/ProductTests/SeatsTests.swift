import API
import Domain
import EventLoop
import Postgres
import TestSupport
import Testing

/// What few may hold at once, on all nodes together.
@Suite(.database) struct SeatsTests {
    private let holder = Domain.ID(high: 1, low: 1)

    private func held(_ api: ServedProduct) async throws -> Int {
        Int(try await api.execute("SELECT count(*) FROM seats WHERE holder = '\(holder)'")[0][0] ?? "") ?? 0
    }

    /// As long as the ear hears, the node lives.
    private func ear(of seats: Seats, _ api: ServedProduct) async throws -> Ear {
        try await Ear(
            url: TestDatabase.current.url, group: api.group, opening: [seats.signOfLife], channels: [],
            heard: { _, _ in }, changed: { _ in })
    }

    @Test func `of many who come at once on three nodes, as many get one as may`() async throws {
        try await ServedProduct.serving { api in
            let nodes = (0..<3).map { _ in Seats(api.database, on: api.group) }
            var ears: [Ear] = []
            for node in nodes { ears.append(try await ear(of: node, api)) }
            for round in 1...20 {
                let taken = try await together(30) { try await nodes.randomElement()!.take(holder, most: 8) }
                #expect(taken.count { $0 != nil } == 8, "round \(round)")
                #expect(try await held(api) == 8)
                // Others have seats of their own.
                #expect(try await nodes[0].take(Domain.ID(high: 1, low: UInt64(round) + 1), most: 8) != nil)
            }
            try await eventually { try await held(api) == 0 }
            for ear in ears { await ear.stop() }
        }
    }

    @Test func `the seats of a node that is gone are free, and those of one that lives are not`() async throws {
        try await ServedProduct.serving { api in
            let (one, two) = (Seats(api.database, on: api.group), Seats(api.database, on: api.group))
            let ears = [try await ear(of: one, api), try await ear(of: two, api)]
            var first = try await one.take(holder, most: 1)
            #expect(try await two.take(holder, most: 1) == nil)
            await ears[0].stop()
            #expect(first != nil)
            var second: Seats.Seat?
            try await eventually {
                second = try await two.take(holder, most: 1)
                return second != nil
            }
            // Whose seat was given to another cannot give it back.
            first = nil
            #expect(try await one.take(holder, most: 1) == nil)
            withExtendedLifetime(second) {}
            await ears[1].stop()
        }
    }

    /// A crash of the database empties the table.
    @Test func `what the database forgot is written down again, and what is held no more is dropped`() async throws {
        try await ServedProduct.serving { api in
            let (one, two) = (Seats(api.database, on: api.group), Seats(api.database, on: api.group))
            let ears = [try await ear(of: one, api), try await ear(of: two, api)]
            let seats = try await together(3) { try await one.take(holder, most: 8) }
            let other = try await two.take(holder, most: 8)
            try await api.execute("TRUNCATE seats")
            one.restore()
            two.restore()
            try await eventually { try await held(api) == 4 }
            // Somebody's that is not this node's any more, and somebody's who is gone.
            try await api.execute(
                "INSERT INTO seats SELECT holder, 7, gen_random_uuid(), node FROM seats WHERE number = 1")
            try await api.execute("INSERT INTO seats VALUES ('\(holder)', 8, gen_random_uuid(), 7)")
            one.restore()
            two.restore()
            try await eventually { try await held(api) == 4 }
            #expect((seats + [other]).allSatisfy { $0 != nil })
            for ear in ears { await ear.stop() }
        }
    }

    @Test func `a seat that could not be given back is dropped when the next list is written`() async throws {
        try await ServedProduct.serving { api in
            let seats = Seats(api.database, on: api.group)
            var seat = try await seats.take(holder, most: 1)
            #expect(seat != nil)
            try await api.execute("ALTER TABLE seats RENAME TO elsewhere")
            seat = nil
            await #expect(throws: PostgresError.self) { try await seats.take(holder, most: 1) }
            try await api.execute("ALTER TABLE elsewhere RENAME TO seats")
            #expect(try await held(api) == 1)
            seats.restore()
            try await eventually { try await held(api) == 0 }
        }
    }

    /// Those who find all seats held by a node that is gone ask at once whether it is.
    @Test func `who comes when a node is gone is not refused for others who come, too`() async throws {
        try await ServedProduct.serving { api in
            try await api.execute(
                """
                INSERT INTO seats (holder, number, id, node)
                SELECT ('00000000-0000-0001-0000-' || lpad(to_hex(n), 12, '0'))::uuid, s, gen_random_uuid(), 7
                FROM generate_series(1, 200) n, generate_series(1, 8) s
                """)
            let nodes = (0..<2).map { _ in Seats(api.database, on: api.group) }
            let taken = try await together(Array(1...200)) { place in
                try await nodes[place % 2].take(Domain.ID(high: 1, low: UInt64(place)), most: 8) != nil
            }
            #expect(taken.allSatisfy { $0 })
        }
    }

    /// A third and a fourth that come at once have the two oldest ended, and not one of them twice.
    @Test func `each who waits recalls one, the oldest first`() async throws {
        try await ServedProduct.serving { api in
            let nodes = (0..<2).map { _ in Seats(api.database, on: api.group) }
            let recalled = Locked<[Int]>([])
            let channel = try await Ear(
                url: TestDatabase.current.url, group: api.group,
                opening: nodes.map(\.signOfLife), channels: ["kurir_seats"],
                heard: { text, _ in for node in nodes { node.recall(text) } }, changed: { _ in })
            var seats: [Seats.Seat] = []
            for place in 0..<2 {
                seats.append(
                    try await nodes[place].wait(holder, most: 2) { recalled.withLock { $0.append(place) } })
            }
            let others = (2..<4).map { place in
                Task(executorPreference: api.group.loops[0]) {
                    try await nodes[place % 2].wait(holder, most: 2) { recalled.withLock { $0.append(place) } }
                }
            }
            try await eventually { recalled.withLock { $0.count } == 2 }
            #expect(recalled.withLock { $0 } == [0, 1])
            #expect(try await held(api) == 2)
            seats = []
            var got: [Seats.Seat] = []
            for other in others { got.append(try await other.value) }
            #expect(got.count == 2 && recalled.withLock { $0 } == [0, 1])
            await channel.stop()
        }
    }
}
