import EventLoop
import HTTP
import Testing

@testable import Observability

@Suite struct MetricsTests {
    private func summary(_ method: String?, _ route: String?, _ status: Int, milliseconds: Int64) -> Observation {
        .http(
            .answered(
                HTTPEvent.Summary(
                    method: method, route: route, status: status, nanoseconds: milliseconds * 1_000_000,
                    requestID: "r", account: nil)))
    }

    @Test func `loops count for themselves and are added up`() async throws {
        let group = try EventLoopGroup(count: 2)
        defer { group.stop() }
        let metrics = try await Metrics(on: group)
        _ = await group.onEachLoop { loop in
            for status in [200, 200, 404] {
                metrics.observe(self.summary("GET", "/a", status, milliseconds: Int64(loop.index) + 3))
            }
            metrics.observe(self.summary("BREW\"", nil, 400, milliseconds: 20_000))
            metrics.observe(.http(.turnedAway))
            metrics.observe(.process(.jobFailed("plan", reason: "loop \(loop.index)")))
            if loop.index == 1 { metrics.observe(.http(.cutOff)) }
        }
        let counted = await metrics.sum()
        #expect(counted.turnedAway == 2 && counted.cutOff == 1 && counted.failedJobs == ["plan": 2])
        #expect(counted.requests.count == 2)
        let counts = try #require(counted.requests.first { $0.key.route == "/a" }?.value)
        #expect(counts.statuses.first { $0.status == 200 }?.count == 4)
        #expect(counts.statuses.first { $0.status == 404 }?.count == 2)
        #expect(counts.buckets.reduce(0, +) == 6)
        #expect(counts.nanoseconds == 21_000_000)
        let unknown = try #require(counted.requests.first { $0.key.route == "none" })
        #expect(unknown.key.method == "other")
        #expect(unknown.value.buckets.last == 2)
    }

    @Test func `histograms are cumulative and end in infinity`() {
        var text = MetricsText()
        text.metric("m", .histogram, "Help.")
        text.histogram("m", [("route", "/a")], bounds: [0.5, 1], buckets: [1, 2, 3], sum: 7.5)
        #expect(
            text.text == """
                # HELP m Help.
                # TYPE m histogram
                m_bucket{route="/a",le="0.5"} 1
                m_bucket{route="/a",le="1"} 3
                m_bucket{route="/a",le="+Inf"} 6
                m_sum{route="/a"} 7.5
                m_count{route="/a"} 6

                """)
    }
}
