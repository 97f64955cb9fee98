import HTTP
import TestSupport
import Testing

@Suite(.database) struct QueryTests {
    @Test func `all that is wrong in a query is told at once`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            func wrong(_ path: String) async throws -> [String: String] {
                let answer = try await api.get(path, as: store.token)
                #expect(answer.status == 422 && answer.code == "validation_failed", "\(path): \(answer.json)")
                return answer.wrong
            }
            #expect(
                try await wrong("/v1/deliveries?limit=0&cursor=x&status=lost&q=\(String(repeating: "q", count: 300))")
                    == [
                        "limit": "out_of_range", "cursor": "invalid_cursor", "status": "invalid_value", "q": "too_long",
                    ])
            #expect(
                try await wrong("/v1/couriers?partner=maybe&sort=age&limit=201")
                    == ["partner": "wrong_type", "sort": "invalid_value", "limit": "out_of_range"])
            #expect(
                try await wrong("/v1/events?after=x&limit=0&wait_seconds=31")
                    == ["after": "invalid_cursor", "limit": "out_of_range", "wait_seconds": "out_of_range"])
            #expect(
                try await wrong("/v1/stats?from=yesterday&to=2026-02-30&time_zone=1")
                    == ["from": "invalid_value", "to": "invalid_value", "time_zone": "invalid_value"])
            #expect(try await wrong("/v1/deliveries?status=,") == ["status": "invalid_value"])
            #expect(
                try await wrong("/v1/places/search?near=here&own=1")
                    == ["near": "invalid_location", "own": "wrong_type"])
        }
    }

    @Test func `a parameter that comes twice is refused, since nobody can tell which is meant`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let twice = try await api.get("/v1/deliveries?limit=5&limit=5&status=pending", as: store.token)
            #expect(twice.status == 422 && twice.wrong == ["limit": "repeated"])
            let escaped = try await api.get("/v1/deliveries?%6Cimit=5&limit=6&cursor=x", as: store.token)
            #expect(escaped.wrong == ["limit": "repeated", "cursor": "invalid_cursor"])
            // What nobody knows is ignored, however often it comes.
            #expect(try await api.get("/v1/deliveries?color=1&color=2&limit=5", as: store.token).status == 200)
        }
    }

    @Test func `a number in a query is written as people write it, and an empty flag is none`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let answer = try await api.get("/v1/roads?box=0x1,0,0x2,1", as: store.token)
            #expect(answer.status == 422 && answer.wrong == ["box": "invalid_box"])
            #expect(try await api.get("/v1/conversations?q=&hidden=", as: store.token).status == 200)
        }
    }

    @Test func `a query is looked at for those alone who may ask`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            #expect(try await api.get("/v1/couriers?limit=0", as: courier.token).status == 403)
            #expect(try await api.get("/v1/couriers?limit=0").status == 401)
        }
    }
}
