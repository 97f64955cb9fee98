import API
import Crypto
import Deliveries
import EventLoop
import HTTP
import Postgres

/// Kurir at work on an open database: it serves the calls and does the work beside them. `kurir serve` and the tests
/// use the same.
package final class Service: Sendable {
    package let composition: Composition
    package let server: Server

    private init(_ composition: Composition, _ server: Server) {
        (self.composition, self.server) = (composition, server)
    }

    /// Puts the product together and begins to listen.
    package static func start(
        _ settings: Composition.Settings, _ configuration: ServerConfiguration, lanes: Lanes, on group: EventLoopGroup,
        secret: ServerSecret, status: StatusRoom, observe: @escaping @Sendable (HTTPEvent) -> Void = { _ in },
        failed: @escaping @Sendable (_ job: String, any Error) -> Void,
        noted: @escaping @Sendable (SecurityEvent) -> Void = { _ in },
        used: @escaping @Sendable (BudgetUse) -> Void = { _ in }
    ) async throws -> Service {
        let composition = try await Composition(
            settings, lanes: lanes, on: group, secret: secret, status: status, failed: failed, noted: noted, used: used)
        do {
            let server = try await Server(
                configuration, routes: composition.routes, on: group, problem: problem(for:),
                lost: LostPage.seen(instead:by:), observe: observe)
            settings.publicURL.listens(at: server.address)
            return Service(composition, server)
        } catch {
            await composition.stop()
            throw error
        }
    }

    /// Stops accepting, lets running requests finish, and stops the rest.
    package func stop(within grace: Duration) async {
        await composition.prepareToStop()
        await server.stop(within: grace)
        await composition.stop()
    }

    /// The problems for errors of the lower layers. Any other error is a fault of ours.
    private static func problem(for error: any Error) -> Problem? {
        switch error {
        case let error as PostgresError where error.isPassing: .unavailable()
        case PostgresError.refused(let error) where error.state == .budgetSpent:
            .budgetSpent(retryAfterSeconds: Int(error.message) ?? 60)
        case is BlockingPool.Full: .unavailable()
        case let busy as PasswordHasher.Busy: .unavailable(retryAfterSeconds: Int(busy.seconds.rounded(.up)))
        default: nil
        }
    }
}
