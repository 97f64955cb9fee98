import HTTP
import TestSupport
import Testing

/// Recipients hear of their delivery as it goes on.
@Suite(.database) struct TrackingStreamTests {
    @Test func `each step is told at once, and the end of the link ends it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)
            let stream = try await EventStream(api, path: "/v1/tracking/\(token)")
            #expect(stream.status == 200)
            func next() async throws -> (String?, JSON) {
                while let event = try await stream.next() {
                    if event.type != "alive" { return (event.type, JSON(Array((event.data ?? "").utf8)) ?? .null) }
                }
                return (nil, .null)
            }
            #expect(try await next().1["state"] == "waiting")
            for (action, state) in [("accept", "accepted"), ("pick_up", "on_the_way"), ("deliver", "delivered")] {
                try await api.act(action, id, as: couriers[0])
                let (type, told) = try await next()
                #expect(type == "tracking" && told["state"].string == state)
            }
            #expect(try await api.call("DELETE", SampleDelivery.path(id, "tracking"), as: store.token).status == 204)
            #expect(try await next().0 == "gone")
            #expect(try await stream.next() == nil)
            stream.close()
        }
    }

    @Test(.timeLimit(.minutes(5))) func `it is told where the courier is, and that it is nearly there`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let recipient: JSON = [
                "first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5",
                "location": ["lat": .number(SamplePlace.door.lat), "lon": .number(SamplePlace.door.lon)],
            ]
            let id = try await api.delivery(of: store, to: couriers, ["recipient": recipient])
            for action in ["accept", "pick_up"] { try await api.act(action, id, as: couriers[0]) }
            let stream = try await EventStream(api, path: "/v1/tracking/\(try await api.tracking(of: id, by: store))")
            func told(_ isMeant: (JSON) -> Bool) async throws -> Bool {
                while let event = try await stream.next() {
                    if let told = JSON(Array((event.data ?? "").utf8)), isMeant(told) { return true }
                }
                return false
            }
            try await api.say(SamplePlace.fix(ago: 2), by: couriers[0])
            let isSeen = try await told {
                $0["position"]["lat"].double == SamplePlace.north.lat && $0["nearby"] != true
            }
            #expect(isSeen)
            try await api.say(SamplePlace.fix(SamplePlace.door), by: couriers[0])
            let isNearby = try await told { $0["nearby"] == true }
            #expect(isNearby)
            stream.close()
        }
    }

    @Test func `a link has eight streams at most, and one that is over has none`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let id = try await api.delivery(of: store, to: couriers)
            let token = try await api.tracking(of: id, by: store)
            var streams: [EventStream] = []
            for _ in 0..<9 { streams.append(try await EventStream(api, path: "/v1/tracking/\(token)")) }
            #expect(streams.map(\.status) == Array(repeating: 200, count: 8) + [429])
            for stream in streams { stream.close() }
            _ = try await api.call("DELETE", SampleDelivery.path(id, "tracking"), as: store.token)
            let late = try await EventStream(api, path: "/v1/tracking/\(token)")
            #expect(late.status == 410)
            late.close()
        }
    }
}
