import Crypto
import Domain
import HTTP
import Postgres

/// Every request to the API passes here: who makes it, whether they may, and whether it was made before.
package struct Gate: Sendable {
    private let database: Database
    private let authenticator: Authenticator
    private let gateways: GatewayKeys
    private let idempotency: Idempotency
    private let throttle: Throttle
    private let rates: Rates
    private let wrote: @Sendable () -> Void
    private let notes: SecurityNotes

    /// `words` has the texts of problems. `wrote` is called whenever something may have been committed, and `noted` with
    /// every security event.
    package init(
        database: Database, authenticator: Authenticator, throttle: Throttle, rates: Rates, secret: ServerSecret,
        words: ProblemWords, noted: @escaping @Sendable (SecurityEvent) -> Void = { _ in },
        wrote: @escaping @Sendable () -> Void
    ) {
        notes = SecurityNotes(secret: secret, tell: noted)
        self.database = database
        self.throttle = throttle
        self.rates = rates
        self.wrote = wrote
        self.authenticator = authenticator
        gateways = GatewayKeys(database)
        idempotency = Idempotency(database, secret: secret, words: words, notes: notes)
    }

    /// The rooms' endpoints as routes.
    package func routes(of rooms: [any Room]) -> [Route] {
        rooms.flatMap(\.endpoints).map(route)
    }

    private func route(_ endpoint: Endpoint) -> Route {
        Route(
            endpoint.method.rawValue.uppercased(), endpoint.path, deadline: endpoint.deadline,
            streamsUpTo: endpoint.streamed?.most
        ) { request in
            try await answer(request, by: endpoint)
        }
    }

    private func answer(_ request: Request, by endpoint: Endpoint) async throws -> Response {
        defer { if endpoint.method != .get, !endpoint.mayWait { wrote() } }
        if endpoint.access == .gateway {
            let key = try await gateways.key(of: request)
            try endpoint.checkQuery(of: request)
            return try await endpoint.handler(
                Call(request, key: key, runner: .database(database), notes: notes))
        }
        let caller = try await admit(request, to: endpoint.access)
        if endpoint.needsApproval, caller?.isApproved == false { throw Problem.notApproved }
        if let caller, endpoint.takesKey, let key = try Idempotency.key(of: request) {
            let answer = try await idempotency.answer(
                request, key: key, by: caller, keepsItself: endpoint.keepsItsAnswer,
                isConfidential: endpoint.isConfidential
            ) {
                try await rates.take(.writes, for: caller)
                try await throttle.take(endpoint.throttles($0))
            } handler: {
                try endpoint.checkQuery(of: request)
                return try await endpoint.handler($0)
            }
            let call = Call(request, by: caller, runner: .database(database), notes: notes)
            if let told = answer.toldBefore {
                guard try await endpoint.isStillSeen(call, told), try await !namesErased(told) else {
                    throw Problem.notFound
                }
            }
            return answer
        }
        if let caller, endpoint.method != .get, !endpoint.isNeverRefused { try await rates.take(.writes, for: caller) }
        let call = Call(request, by: caller, runner: .database(database), notes: notes)
        try await throttle.take(endpoint.throttles(call))
        try endpoint.checkQuery(of: request)
        return try await endpoint.handler(call)
    }

    /// Whether an answer of before has the name of somebody who is erased since.
    private func namesErased(_ told: JSON) async throws -> Bool {
        let named = told.named
        guard !named.isEmpty else { return false }
        return try await database.run(AreErased(accounts: named)).first == true
    }

    /// The only place that decides who may call what.
    private func admit(_ request: Request, to access: Access) async throws -> Caller? {
        guard access != .anyone else { return nil }
        guard let caller = try await authenticator.caller(of: request) else { throw Problem.unauthenticated }
        request.account = caller.account.description
        request.language = caller.language.rawValue
        guard access.admits(caller.kind) else { throw Problem.forbidden(access) }
        return caller
    }
}

extension Problem {
    package static let unauthenticated = Problem(
        .unauthenticated, "unauthenticated", headers: [Response.Header("WWW-Authenticate", "Bearer")])

    /// A picture that is not there, is somebody else's, or hangs on something already.
    package static let unknownFile = Problem(.unprocessable, "unknown_file")

    package static let notApproved = Problem(.forbidden, "not_approved")

    package static func forbidden(_ access: Access) -> Problem {
        Problem(.forbidden, "forbidden", wording: access == .store ? "only_stores" : "only_couriers")
    }
}
