import API
import HTTP

/// The calls for whoever spreads requests over nodes: whether this one lives, and whether it can work. They say no more,
/// since everybody may ask; ``AdminRoutes`` do.
package struct StatusRoom: Room {
    private let readiness: NodeReadiness

    package init(_ readiness: NodeReadiness) { self.readiness = readiness }

    package var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/healthz", for: .anyone, "Whether the process lives", room: "Status", answers: [Self.fine])
            { _ in
                Self.status("ok")
            },
            Endpoint(
                .get, "/readyz", for: .anyone, "Whether requests can be served", room: "Status", answers: [Self.fine],
                refuses: [.unavailable()]
            ) { _ in
                guard await readiness.report().isReady else { throw Problem.unavailable() }
                return Self.status("ready")
            },
        ]
    }

    private static let fine = Endpoint.Answer.ok(.object("Health", [.init("status", .string())]), "Yes.")

    private static func status(_ status: String) -> Response {
        var json = JSONWriter()
        json.object { $0.field("status", status) }
        return .json(json.bytes)
    }
}
