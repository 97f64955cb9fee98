import HTTP
import Observability
import Product

/// What is there for operators: their address, and what is told there.
struct Operators: Sendable {
    let readiness: NodeReadiness
    /// Nil where there is none.
    let server: Server?

    /// Begins to listen. The usual address may be taken, as by another Kurir on this machine; one that was asked for
    /// must be free.
    init(
        _ address: AdminAddress, _ readiness: NodeReadiness, _ report: MetricsReport, _ parts: Application.Parts
    ) async throws {
        self.readiness = readiness
        guard let listen = address.address else {
            server = nil
            return
        }
        let routes = AdminRoutes(readiness) { await report.text(isReady: $0) }.routes
        do {
            server = try await Server(
                AdminAddress.configuration(at: listen), routes: routes, on: parts.group,
                observe: { parts.observe(.http($0)) })
        } catch let error as ListenError {
            guard case .usual = address else { throw error }
            parts.observe(.process(.trouble("there is no place for operators: \(error)")))
            server = nil
        }
    }
}
