import Domain
import EventLoop
import TestSupport
import Testing

@testable import Services

/// A router that speaks OSRM's protocol, at its best and at its worst.
@Suite(.timeLimit(.minutes(10))) struct RoadsTests {
    private let places = [(45.81302, 15.97726), (45.80935, 15.96856), (45.79643, 15.96012)].map {
        Location(lat: $0.0, lon: $0.1)!
    }
    /// No road leads there.
    private let lost = Location(lat: 84.5, lon: -0.00001)!

    @Test func `it tells how far it is between all places, and where there is no way`() async throws {
        try await Services.running { services in
            let roads = services.roads()
            let table = try #require(await roads.ways(among: places + [lost]))
            #expect(table.count == 4 && table.allSatisfy { $0.count == 4 })
            #expect(table[0][0] == Roads.Way(meters: 0, seconds: 0))
            let way = try #require(table[0][2])
            #expect((3000...4000).contains(way.meters) && abs(way.meters / 8 - way.seconds) < 1)
            #expect(table[3][0] == nil && table[1][3] == nil)
            #expect(services.far.asked[0].contains("15.9773,45.8130;15.9686,45.8094;15.9601,45.7964;0.0000,84.5000"))
            // The same places and those beside them are not asked for again.
            let beside = places.map { Location(lat: $0.lat + 0.000001, lon: $0.lon)! }
            #expect(await roads.ways(among: beside + [lost]) == table && services.far.asked.count == 1)
        }
    }

    @Test func `it tells the way over places in their order, with the line to draw`() async throws {
        try await Services.running { services in
            let roads = services.roads()
            let route = try #require(await roads.route(over: places))
            #expect(route.legs.count == 2 && route.legs.allSatisfy { $0.meters > 900 && $0.seconds > 100 })
            #expect(route.line.count == 3 && abs(route.line[2].lat - places[2].lat) < 0.0001)
            #expect(await roads.route(over: places) == route && services.far.asked.count == 1)
            #expect(await roads.route(over: places.reversed())?.line.first?.lon == 15.9601)
            #expect(await roads.route(over: [places[0], lost]) == nil)
            #expect(await roads.route(over: [places[0], lost]) == nil)
            #expect(services.far.asked.count == 3 && services.heard.news.isEmpty)
        }
    }

    @Test func `what no router takes is not asked`() async throws {
        try await Services.running { services in
            let roads = services.roads()
            #expect(await roads.ways(among: []) == nil)
            #expect(await roads.route(over: [places[0]]) == nil)
            let many = Array(repeating: places[0], count: Roads.mostPlaces + 1)
            #expect(await roads.ways(among: many) == nil)
            #expect(await roads.route(over: many) == nil)
            #expect(services.far.asked.isEmpty)
        }
    }

    @Test(arguments: FarAway.wrongWays + ["lying", "boasting"])
    func `one that goes wrong knows no roads, and is told of once`(
        _ way: String
    ) async throws {
        try await Services.running { services in
            let roads = services.roads(way)
            #expect(await roads.ways(among: places) == nil)
            #expect(await roads.route(over: places) == nil)
            #expect(services.heard.counts == ["router failed": 2] && services.heard.news == ["router failed"])
        }
    }

    @Test func `one that fails is asked again, and told of when it answers`() async throws {
        try await Services.running { services in
            let roads = services.roads()
            try await services.far.toggle()
            #expect(await roads.ways(among: places) == nil)
            try await services.far.toggle()
            #expect(await roads.ways(among: places) != nil)
            #expect(services.heard.news == ["router failed", "router answered"])
            // What comes and goes is not told each time.
            try await services.far.toggle()
            #expect(await roads.route(over: places) == nil)
            try await services.far.toggle()
            #expect(await roads.route(over: places) != nil)
            #expect(services.heard.counts == ["router failed": 2, "router answered": 2])
            #expect(services.heard.news.count == 2)
        }
    }

    /// How long somebody waits who asks what is not known yet.
    @Test func `nobody waits longer than a second for a router, and two for a geocoder`() {
        #expect(Roads.bounds.seconds == 1)
        for kind in GeocoderPlace.Kind.allCases { #expect(kind.language.bounds.seconds == 2) }
    }

    @Test func `a slow service keeps nobody from asking another`() async throws {
        try await Services.running { services in
            let (slow, roads) = (services.geocoder(.photon, "slow", .long), services.roads())
            let answered = Locked(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...50 {
                    group.addTask {
                        #expect(await slow.find(AddressQuestion("Ilica \(number)", near: nil, in: .fallback)) == nil)
                        answered.withLock { $0 += 1 }
                    }
                }
                try await eventually { services.far.asked.count == 4 }
                #expect(await roads.ways(among: places) != nil)
                // There are 32 places in the line; who had none was refused at once.
                try await eventually { services.heard.counts["geocoder refused", default: 0] >= 14 }
                #expect(answered.withLock { $0 } <= 18 && services.heard.counts["geocoder failed"] == nil)
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    @Test func `who goes away is asked for no more, and a stop waits for nobody`() async throws {
        try await Services.running { services in
            let roads = services.roads("slow", .long)
            let places = places
            let asking = Task { await roads.ways(among: places) }
            try await eventually { services.far.asked.count == 1 }
            asking.cancel()
            #expect(await asking.value == nil)
            let others = (0..<20).map { number in
                Task { await roads.route(over: [places[0], Location(lat: 45, lon: Double(number))!]) }
            }
            try await services.stop()
            for other in others { #expect(await other.value == nil) }
            #expect(await roads.route(over: places) == nil)
        }
    }
}
