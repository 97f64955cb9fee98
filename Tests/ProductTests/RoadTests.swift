import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Road

/// Reports of the road: what may be reported, what is found, and until when.
@Suite(.database) struct RoadTests {
    private func ids(_ answer: Answer) -> [String] { answer.items.compactMap { $0["id"].string } }

    @Test func `couriers and stores report what they see, and everybody reads it but for who it was`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let form = SampleRoad.form(["text": "Jedan\ntrak", "road": "A1", "department": "Zadar"])
            for (person, place) in [(store, SampleRoad.at(0)), (courier, SampleRoad.at(1000))] {
                let made = try await api.post("/v1/roads", form.with(["location": place]), as: person.token)
                #expect(made.status == 201, "\(made.json)")
                let id = try #require(made.json["id"].string)
                #expect(
                    made.json.without("id", "valid_from", "valid_until")
                        == form.with([
                            "location": place, "source": nil, "state": "valid", "gone_votes": 0,
                            "still_there_votes": 0, "voted": nil,
                        ]))
                let (from, until) = (
                    try Moment(made.json["valid_from"].string ?? ""), try Moment(made.json["valid_until"].string ?? "")
                )
                #expect(abs(until.milliseconds - from.milliseconds - 86_400_000) < 1000)
                for reader in [store, courier] {
                    #expect(try await api.get("/v1/roads/\(id)", as: reader.token).json == made.json)
                    let list = try await api.get("/v1/roads?near=45,15&radius_m=5000", as: reader.token)
                    #expect(ids(list).contains(id) && !list.reply.text.contains(person.id))
                }
            }
            #expect(try await api.get("/v1/roads/\(ID.new())", as: store.token).status == 404)
            // Radars have no end, or no type of road; conditions have both.
            for (kind, hasEnd) in [("radar_stationary", false), ("radar_announced", true)] {
                let radar: JSON = ["kind": .string(kind), "title": "Radar", "location": SampleRoad.at(0)]
                let made = try await api.post("/v1/roads", radar, as: courier.token)
                #expect(made.status == 201 && made.json["road_type"] == .null)
                #expect((made.json["valid_until"] != .null) == hasEnd)
            }
        }
    }

    @Test func `radars that stand are without end, wherever they are told of`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let place: JSON = ["lat": .number(SamplePlace.door.lat), "lon": .number(SamplePlace.door.lon)]
            let radar: JSON = ["kind": "radar_stationary", "title": "Radar", "location": place]
            let id = try #require(try await api.post("/v1/roads", radar, as: store.token).json["id"].string)
            try await api.execute("UPDATE road_reports SET valid_from = valid_from - interval '400 days'")
            try await api.database.run(TidyRoads())
            let list = try await api.get(
                "/v1/roads?near=\(SamplePlace.door.lat),\(SamplePlace.door.lon)", as: couriers[0].token)
            #expect(ids(list) == [id] && list.json["counts"] == ["radar_stationary": 1])
            #expect(list.items.first?["state"] == "valid")
            #expect(try await api.post("/v1/roads", radar, as: couriers[0].token).json["id"].string == id)
            let job = try await api.delivery(of: store, to: couriers)
            try await api.act("accept", job, as: couriers[0])
            func near(_ api: ServedProduct) async throws -> [String?] {
                try await api.get(SampleDelivery.path(job), as: couriers[0].token).json["roads_near"].items
                    .map { $0["id"].string }
            }
            #expect(try await near(api) == [id])
            try await ServedProduct.another(looseness: nil, trust: Trust(), radars: false) { node in
                let told = try await near(node)
                #expect(told == [])
            }
        }
    }

    @Test func `texts and distances are as long as they are said to be`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            func text(_ length: Int) -> JSON { .string(String(repeating: "a", count: length)) }
            let most = SampleRoad.form(["title": text(120), "text": text(1000), "location": SampleRoad.at(19_900)])
            #expect(try await api.post("/v1/roads", most, as: courier.token).status == 201)
            let more = SampleRoad.form(["title": text(121), "text": text(1001)])
            #expect(
                try await api.post("/v1/roads", more, as: courier.token).wrong == [
                    "title": "too_long", "text": "too_long",
                ])
            _ = try await api.report(at: 20_100, by: courier)
            #expect(try await api.get("/v1/roads?near=45,15", as: courier.token).items.count == 1)
            let far = try await api.get("/v1/roads?near=45,15&radius_m=100000", as: courier.token)
            #expect(far.status == 200 && far.items.count == 2)
        }
    }

    @Test func `all that is wrong is told at once, and each kind and type is taken`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let wrong: JSON = [
                "kind": "ufo", "road_type": "sky", "title": "", "text": 7,
                "road": .string(String(repeating: "x", count: 121)),
                "department": .string(String(repeating: "x", count: 121)), "location": ["lat": 91, "lon": 0],
            ]
            #expect(
                try await api.post("/v1/roads", wrong, as: courier.token).wrong == [
                    "kind": "invalid_value", "road_type": "invalid_value", "title": "required", "text": "wrong_type",
                    "road": "too_long", "department": "too_long", "location": "invalid_location",
                ])
            #expect(
                try await api.post("/v1/roads", [:], as: courier.token).wrong == [
                    "kind": "required", "title": "required", "location": "required",
                ])
            let untyped: JSON = ["kind": "closure", "title": "Most", "location": SampleRoad.at(0)]
            #expect(try await api.post("/v1/roads", untyped, as: courier.token).wrong == ["road_type": "required"])
            for (place, kind) in RoadKind.allCases.enumerated() {
                let types = RoadType.allCases
                let form = SampleRoad.form([
                    "kind": .string(kind.rawValue), "road_type": .string(types[place % types.count].rawValue),
                ])
                #expect(try await api.post("/v1/roads", form, as: courier.token).status == 201, "\(kind)")
            }
        }
    }

    @Test func `what is known within 150 metres is not reported again`() async throws {
        try await ServedProduct.serving { api in
            let (store, courier) = (try await api.store(), try await api.courier())
            let first = try await api.report(by: courier)
            let again = try await api.post(
                "/v1/roads", SampleRoad.form(["location": SampleRoad.at(149)]), as: store.token)
            #expect(again.status == 409 && again.json["code"] == "already_reported" && again.json["id"].string == first)
            _ = try await api.report(at: 151, by: store)
            // Another kind is another matter.
            _ = try await api.report(["kind": "danger"], at: 10, by: store)
            try await api.execute("UPDATE road_reports SET valid_until = now() WHERE id = '\(first)'")
            _ = try await api.report(by: courier)
        }
    }

    @Test func `what lies on both sides of the date line, or around a pole, is near`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            for (lat, lon, near, box) in [
                (0.0, 179.9995, "0,-179.9995", "-1,179,1,-179"), (89.9999, 0.0, "89.9999,180", "89,-180,90,180"),
                (-89.9999, 90.0, "-89.9999,-90", "-90,-180,-89,180"),
            ] {
                let place: JSON = ["lat": .number(lat), "lon": .number(lon)]
                let made = try await api.post("/v1/roads", SampleRoad.form(["location": place]), as: courier.token)
                let id = made.json["id"]
                for area in ["near=\(near)&radius_m=1000", "box=\(box)"] {
                    let found = try await api.get("/v1/roads?\(area)", as: courier.token)
                    #expect(found.items.map { $0["id"] } == [id], "\(area): \(found.json)")
                }
                let other = near.split(separator: ",").map { Double($0) ?? 0 }
                let beside: JSON = ["lat": .number(other[0]), "lon": .number(other[1])]
                let again = try await api.post("/v1/roads", SampleRoad.form(["location": beside]), as: courier.token)
                #expect(again.status == 409, "\(near)")
            }
        }
    }

    @Test func `the nearest come first, in pages, with how much there is of each kind`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            var expected: [String] = []
            for number in 0..<12 {
                let kind: JSON = number % 3 == 0 ? "danger" : "closure"
                expected.append(try await api.report(["kind": kind], at: Double(number * 300), by: courier))
            }
            _ = try await api.report(at: 30_000, by: courier)
            let counts: JSON = ["danger": 4, "closure": 8]
            let all = try await api.get("/v1/roads?near=45,15", as: courier.token)
            #expect(ids(all) == expected && all.json["counts"] == counts && all.json["next_cursor"] == .null)
            #expect(all.items.map { $0["distance_m"] } == (0..<12).map { .integer($0 * 300) })
            var (paged, cursor): ([String], JSON) = ([], "")
            repeat {
                let more = cursor.string.map { $0.isEmpty ? "" : "&cursor=\($0)" } ?? ""
                let page = try await api.get("/v1/roads?near=45,15&limit=5" + more, as: courier.token)
                #expect(page.json["counts"] == counts)
                paged += ids(page)
                cursor = page.json["next_cursor"]
            } while cursor != .null
            #expect(paged == expected)
            let dangers = try await api.get("/v1/roads?near=45,15&kinds=danger,accident", as: courier.token)
            #expect(ids(dangers) == [0, 3, 6, 9].map { expected[$0] } && dangers.json["counts"] == counts)
            let close = try await api.get("/v1/roads?near=45,15&radius_m=650", as: courier.token)
            #expect(ids(close) == Array(expected.prefix(3)) && close.json["counts"] == ["danger": 1, "closure": 2])
            // From the middle of a box.
            let box = try await api.get("/v1/roads?box=44.9,14.9,45.1,15.1", as: courier.token)
            #expect(ids(box) == expected && box.items.first?["distance_m"] == 0)
            let empty = try await api.get("/v1/roads?box=-1,-1,1,1", as: courier.token)
            #expect(empty.json == ["items": [], "next_cursor": nil, "counts": [:]])
        }
    }

    @Test func `no crowd of another kind hides what is asked for`() async throws {
        try await ServedProduct.serving { api in
            let (courier, crowd) = (try await api.courier(), try await crowd(api))
            let far = try await api.report(["kind": "closure"], at: 10_000, by: courier)
            for area in ["near=45,15", "box=44,14,46,16"] {
                let found = try await api.get("/v1/roads?kinds=closure,accident&\(area)", as: courier.token)
                #expect(ids(found) == [far], "\(area)")
                #expect(found.json["counts"] == ["danger": .integer(crowd), "closure": 1], "\(area)")
            }
        }
    }

    /// More than are looked at, around the same place; how many they are.
    private func crowd(_ api: ServedProduct) async throws -> Int {
        let count = RoadSearch.mostLookedAt + 1
        try await api.execute(
            """
            INSERT INTO road_reports (id, kind, road_type, title, lat, lon, valid_from, valid_until)
            SELECT gen_random_uuid(), 'danger', 'city', 'Rupa', 45, 15 + n * 1e-6, now(), now() + interval '1 day'
            FROM generate_series(1, \(count)) n
            """)
        return count
    }

    @Test func `who asks for crowds again and again is refused alone, and a crowd is told in pages`() async throws {
        try await ServedProduct.serving { api in
            let (greedy, other, count) = (try await api.courier(), try await api.courier(), try await crowd(api))
            let all = "/v1/roads?box=-90,-180,90,180"
            var statuses: Set<Int> = []
            // This is repeated if each was answered before the third after it came.
            for _ in 0..<20 where !statuses.contains(429) {
                async let asked = together(Array(0..<40)) { _ in try await api.get(all, as: greedy.token).status }
                #expect(try await api.get("/v1/roads?near=44,14", as: other.token).status == 200)
                statuses.formUnion(try await asked)
            }
            #expect(statuses.contains(429) && statuses.isSubset(of: [200, 429, 503]), "\(statuses)")
            let first = try await api.get("/v1/roads?near=45,15&limit=200", as: other.token)
            #expect(first.items.count == 200 && first.json["counts"] == ["danger": .integer(count)])
            let cursor = try #require(first.json["next_cursor"].string)
            let second = try await api.get("/v1/roads?near=45,15&limit=200&cursor=\(cursor)", as: other.token)
            #expect(second.items.count == 200 && Set(ids(first)).isDisjoint(with: ids(second)))
            let (last, next) = (first.items.last?["distance_m"].double ?? 0, second.items.first?["distance_m"].double)
            #expect(next ?? -1 >= last)
        }
    }

    @Test func `what is over is neither listed nor counted, to the second`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let id = try await api.report(by: courier)
            func state() async throws -> (Int, JSON, JSON) {
                let list = try await api.get("/v1/roads?near=45,15", as: courier.token)
                let one = try await api.get("/v1/roads/\(id)", as: courier.token).json["state"]
                return (list.items.count, list.json["counts"], one)
            }
            try await api.execute("UPDATE road_reports SET valid_until = now() + interval '1 minute'")
            #expect(try await state() == (1, ["closure": 1], "valid"))
            try await api.execute("UPDATE road_reports SET valid_until = now()")
            #expect(try await state() == (0, [:], "expired"))
            // Tidying up changes nothing of that, but for what was over long ago.
            #expect(try await api.execute("SELECT tidy_roads()") == [["f"]])
            #expect(try await state() == (0, [:], "expired"))
            try await api.execute("UPDATE road_reports SET valid_until = now() - interval '31 days'")
            try await api.execute("SELECT tidy_roads()")
            #expect(try await api.get("/v1/roads/\(id)", as: courier.token).status == 404)
        }
    }

    @Test func `what is no place, kind or page is refused`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            for (query, wrong) in [
                ("", ["near": "required"]), ("near=45", ["near": "invalid_location"]),
                ("near=45,15&radius_m=0", ["radius_m": "out_of_range"]),
                ("near=45,15&radius_m=100001", ["radius_m": "out_of_range"]), ("box=1,2,3", ["box": "invalid_box"]),
                ("box=2,0,1,0", ["box": "invalid_box"]), ("box=nan,0,1,0", ["box": "invalid_box"]),
                ("box=0,0,91,0", ["box": "invalid_box"]), ("near=45,15&kinds=ufo", ["kinds": "invalid_value"]),
                ("near=45,15&kinds=danger,", ["kinds": "invalid_value"]),
                ("near=45,15&cursor=WyJhIl0", ["cursor": "invalid_cursor"]),
                ("near=45,15&limit=0", ["limit": "out_of_range"]),
                (
                    "near=45&radius_m=0&box=1&kinds=ufo&limit=0",
                    [
                        "near": "invalid_location", "radius_m": "out_of_range", "box": "invalid_box",
                        "kinds": "invalid_value", "limit": "out_of_range",
                    ]
                ),
            ] {
                let refused = try await api.get("/v1/roads?\(query)", as: courier.token)
                #expect(refused.status == 422 && refused.wrong == wrong, "\(query): \(refused.json)")
            }
        }
    }

    @Test func `where the law wants it there are no radars`() async throws {
        let radar: JSON = ["kind": "radar_stationary", "title": "Radar", "location": SampleRoad.at(0)]
        try await ServedProduct.serving { api in
            #expect(try await api.get("/v1/about").json["radars"] == "on")
            let courier = try await api.courier()
            let id = try await api.post("/v1/roads", radar, as: courier.token).json["id"].string ?? ""
            try await ServedProduct.another(looseness: nil, trust: Trust(), radars: false) { node in
                #expect(try await node.get("/v1/about").json["radars"] == "off")
                #expect(try await node.post("/v1/roads", radar, as: courier.token).wrong == ["kind": "radars_off"])
                let worse: JSON = ["kind": "radar_stationary", "title": "", "road_type": "city"]
                #expect(
                    try await node.post("/v1/roads", worse, as: courier.token).wrong == [
                        "kind": "radars_off", "title": "required", "location": "required",
                    ])
                #expect(try await node.post("/v1/roads", [:], as: courier.token).wrong["kind"] == "required")
                _ = try await node.report(at: 50_000, by: courier)
                for area in ["near=45,15", "near=45,15&kinds=radar_stationary"] {
                    let list = try await node.get("/v1/roads?\(area)", as: courier.token)
                    #expect(list.json == ["items": [], "next_cursor": nil, "counts": [:]])
                }
                for vote in ["", "/gone", "/still_there"] {
                    let method = vote.isEmpty ? "GET" : "POST"
                    #expect(try await node.call(method, "/v1/roads/\(id)" + vote, as: courier.token).status == 404)
                }
            }
        }
    }

    @Test func `of ten same reports at once one is kept, and the others learn which`() async throws {
        try await ServedProduct.serving { api in
            let people = try await api.many(10)
            for round in 0..<20 {
                let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                    for (place, person) in people.enumerated() {
                        // Within a hundred metres of each other, on different sides of any grid there might be.
                        let form = SampleRoad.form(["location": SampleRoad.at(Double(round * 1000 + place * 10))])
                        group.addTask { try await api.post("/v1/roads", form, as: person.token) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let made = answers.filter { $0.status == 201 }
                #expect(made.count == 1 && answers.filter { $0.status == 409 }.count == 9)
                #expect(Set(answers.map { $0.json["id"].string }).count == 1)
            }
            #expect(try await api.execute("SELECT count(*) FROM road_reports") == [["20"]])
        }
    }

    @Test func `its holder is told what there is around a delivery's place, and nobody else`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(2)
            let id = try await api.delivery(of: store, to: couriers)
            var expected: [String] = []
            for meters in [990.0, 0, 160, 1200, 320, 480, 640] {
                let place: JSON = [
                    "lat": .number(SamplePlace.door.lat + meters / 111_195.08), "lon": .number(SamplePlace.door.lon),
                ]
                let made = try await api.post("/v1/roads", SampleRoad.form(["location": place]), as: store.token)
                expected.append(made.json["id"].string ?? "")
            }
            func near(_ person: Person) async throws -> JSON {
                try await api.get(SampleDelivery.path(id), as: person.token).json["roads_near"]
            }
            #expect(try await near(couriers[0]) == .null)
            try await api.act("accept", id, as: couriers[0])
            let told = try await near(couriers[0])
            #expect(told.items.map { $0["id"].string } == [1, 2, 4, 5, 6].map { expected[$0] })
            #expect(told.items.map { $0["distance_m"] } == [0, 160, 320, 480, 640])
            #expect(try await near(store) == .null)
            // What is farther than a kilometre is not told where there is room for it, either.
            for place in [2, 4, 5, 6] {
                try await api.execute("DELETE FROM road_reports WHERE id = '\(expected[place])'")
            }
            let farther = try await near(couriers[0])
            #expect(farther.items.map { $0["distance_m"] } == [0, 990])
            for person in [store, couriers[0]] {
                let list = try await api.get("/v1/deliveries", as: person.token)
                #expect(list.items.allSatisfy { !$0.names.contains("roads_near") })
            }
            // What is over, or gone, is not told.
            try await api.execute("UPDATE road_reports SET valid_until = now() WHERE id = '\(expected[1])'")
            _ = try await api.post("/v1/roads/\(expected[0])/gone", as: store.token)
            #expect(try await near(couriers[0]).items == [])
            try await api.act("deliver", id, as: couriers[0])
            #expect(try await near(couriers[0]) == .null)
        }
    }

    /// It has two numbers, and is one line.
    @Test func `what stands where the date changes is in the boxes on both sides`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            for (lat, lon) in [(10.0, 180.0), (20, -180)] {
                let form = SampleRoad.form(["location": ["lat": .number(lat), "lon": .number(lon)]])
                #expect(try await api.post("/v1/roads", form, as: courier.token).status == 201)
            }
            for box in [
                "0,-180,30,-179", "0,179,30,180", "0,179,30,-179", "0,-180,30,180", "0,180,30,180", "0,-180,30,-180",
                "0,180,30,-180",
            ] {
                #expect(try await api.get("/v1/roads?box=\(box)", as: courier.token).items.count == 2, "\(box)")
            }
            #expect(try await api.get("/v1/roads?box=0,170,30,179", as: courier.token).items.isEmpty)
        }
    }
}

/// A report as tests make it.
enum SampleRoad {
    /// So many metres to the north of the usual place.
    static func at(_ meters: Double) -> JSON { ["lat": .number(45 + meters / 111_195.08), "lon": .number(15)] }

    static func form(_ more: [String: JSON] = [:]) -> JSON {
        let usual: JSON = ["kind": "closure", "road_type": "motorway", "title": "Most zatvoren", "location": at(0)]
        return usual.with(more)
    }
}

extension ServedProduct {
    /// Reports something so many metres to the north of the usual place; gives its id.
    func report(
        _ more: [String: JSON] = [:], at meters: Double = 0, by person: Person
    ) async throws -> String {
        let form = SampleRoad.form(more).with(["location": SampleRoad.at(meters)])
        let made = try await post("/v1/roads", form, as: person.token)
        try #require(made.status == 201, "\(made.json)")
        return made.json["id"].string ?? ""
    }

    /// So many couriers.
    func many(_ count: Int) async throws -> [Person] {
        var people: [Person] = []
        for _ in 0..<count { people.append(try await courier()) }
        return people
    }
}
