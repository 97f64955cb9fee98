import HTTP
import TestSupport
import Testing

/// Where a courier is its recipients learn only while it comes to them.
@Suite(.database) struct TrackedPositionTests {
    @Test func `a position is told from picking up until the end, and at no other time`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let ana = couriers[0]
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)

            /// Whether the page tells where she is, and how far; and when she will be there.
            func told(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [Bool] {
                #expect(try await api.say(SamplePlace.fix(), by: ana).status == 200, sourceLocation: sourceLocation)
                let json = try await api.followed(token).json
                #expect(json.names.isSuperset(of: ["position", "eta"]), sourceLocation: sourceLocation)
                return [
                    json["position"] != .null, json["eta"]["distance_m"].integer != nil, json["eta"]["at"] != .null,
                ]
            }

            #expect(try await told() == [false, false, false])
            try await api.act("accept", id, as: ana)
            #expect(try await told() == [false, false, true])
            try await api.act("pick_up", id, as: ana)
            #expect(try await told() == [true, true, true])
            let seen = try await api.followed(token).json["position"]
            #expect(seen["lat"].double == SamplePlace.north.lat && seen.names == ["lat", "lon", "at"])
            try await api.act("fail", id, as: ana, ["reason": "nobody_home"])
            #expect(try await told() == [true, true, true])
            try await api.act("deliver", id, as: ana)
            #expect(try await told() == [false, false, false])
            try await api.act("reopen", id, as: store, ["note": "x"])
            #expect(try await told() == [true, true, true])
            try await api.act("reassign", id, as: store)
            #expect(try await told() == [false, false, false])
        }
    }

    @Test func `a position is told to the next stop and the one after`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try await api.delivery(of: store, to: couriers)) }
            for id in ids {
                try await api.act("accept", id, as: couriers[0])
                try await api.act("pick_up", id, as: couriers[0])
            }
            let route: JSON = ["delivery_ids": .array(ids.map { .string($0) })]
            _ = try await api.call("PUT", "/v1/me/route", route, as: couriers[0].token)
            try await api.say(SamplePlace.fix(), by: couriers[0])
            var told: [Bool] = []
            for id in ids {
                let json = try await api.followed(try await api.tracking(of: id, by: store)).json
                told.append(json["position"] != .null)
                #expect((json["position"] == .null) == (json["eta"]["distance_m"] == .null))
            }
            #expect(told == [true, true, false])
        }
    }

    @Test func `that it is nearly there is told to whom it comes next`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let ana = couriers[0]
            var ids: [String] = []
            for _ in 0..<2 {
                ids.append(try await api.delivery(of: store, to: couriers))
                try await api.act("accept", ids.last ?? "", as: ana)
            }
            try await api.execute("UPDATE jobs SET since = since - interval '1 minute'")
            var tokens: [String] = []
            for id in ids { tokens.append(try await api.tracking(of: id, by: store)) }
            let route: JSON = ["delivery_ids": .array(ids.map { .string($0) })]
            _ = try await api.call("PUT", "/v1/me/route", route, as: ana.token)
            func told() async throws -> [JSON] {
                var told: [JSON] = []
                for token in tokens { told.append(try await api.followed(token).json["nearby"]) }
                return told
            }
            try await api.say(SamplePlace.fix(SamplePlace.door, ago: 10), by: ana)
            // What is not fetched yet is not near, wherever its courier is.
            #expect(try await told() == [false, false])
            for id in ids { try await api.act("pick_up", id, as: ana) }
            #expect(try await told() == [true, false])
            #expect(try await api.followed(tokens[0]).json["text"] == "Ana is almost there.")
            // It goes away again, to somebody else.
            try await api.say(SamplePlace.fix(ago: 5), by: ana)
            #expect(try await told() == [false, false])
            try await api.say(SamplePlace.fix(SamplePlace.door), by: ana)
            try await api.act("deliver", ids[0], as: ana)
            #expect(try await told() == [false, true])
        }
    }

    @Test func `where somebody was seen before is told to no recipient`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)
            try await api.act("accept", id, as: couriers[0])
            try await api.act("pick_up", id, as: couriers[0])
            try await api.say(SamplePlace.fix(ago: 90), by: couriers[0])
            let json = try await api.followed(token).json
            #expect(json["position"] == .null && json["eta"] == .null)
            try await api.say(SamplePlace.fix(ago: 5), by: couriers[0])
            #expect(try await api.followed(token).json["position"] != .null)
            #expect(try await api.call("DELETE", SampleDelivery.path(id, "tracking"), as: store.token).status == 204)
            #expect(try await api.followed(token).json["position"] == .null)
        }
    }
}
