import HTTP

/// What operators are told, at an address of their own: the figures, and why a node is not ready.
package struct AdminRoutes: Sendable {
    private let readiness: NodeReadiness
    private let metrics: @Sendable (_ isReady: Bool) async -> String

    /// `metrics` writes the figures for Prometheus.
    package init(_ readiness: NodeReadiness, metrics: @escaping @Sendable (_ isReady: Bool) async -> String) {
        (self.readiness, self.metrics) = (readiness, metrics)
    }

    package var routes: [Route] {
        [
            .get("/metrics") { _ in
                let text = await metrics(await readiness.report().isReady)
                return Response(.ok, body: .bytes(Array(text.utf8), type: "text/plain; version=0.0.4"))
            },
            .get("/readyz") { _ in
                let report = await readiness.report()
                var json = JSONWriter()
                json.object(report.write)
                return .json(json.bytes, status: report.isReady ? .ok : .unavailable)
            },
        ]
    }
}

extension NodeReadiness.Report {
    fileprivate func write(_ json: inout JSONWriter) {
        json.field("status", isReady ? "ready" : isLeaving ? "leaving" : "not_ready")
        json.field("database", database)
        json.object("migration") { json in
            if let migration { json.field("has", migration) }
            json.field("wants", wanted.migration)
        }
        json.object("functions") { json in
            if let functions { json.field("has", functions) }
            json.field("wants", wanted.functions)
        }
    }
}
