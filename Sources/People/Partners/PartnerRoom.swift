import API
import Outbox
import Domain
import HTTP
import Postgres

/// Partnerships: how they begin, who is in them, and how they end.
package struct PartnerRoom: Room {
    let redemption: Redemption
    let papers: any PartnersPapers
    /// Called at each end of a partnership, to take the courier out of the store's deliveries.
    let ended: @Sendable (PartnershipEnding) async -> Void

    package init(
        redemption: Redemption, papers: any PartnersPapers,
        ended: @escaping @Sendable (PartnershipEnding) async -> Void
    ) {
        (self.redemption, self.papers, self.ended) = (redemption, papers, ended)
    }

    package let eventTypes = ["partner.joined", "partner.ended"]

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/partners", for: .courier, "Redeems the code of an invite", room: "Partners",
                takes: RedeemForm.self, answers: [.created(Partner.shape)], refuses: Problem.redeeming,
                throttledBy: Self.redeeming, stillSeen: Self.isPartner, handler: redeem),
            Endpoint(
                .get, "/v1/partners", for: .signedIn, "A store's couriers, or a courier's stores, by name",
                room: "Partners", query: Endpoint.Parameter.list,
                answers: [.ok(.page(of: .anyOf([ListedCourier.shape, ListedStore.shape], named: "ListedPartner")))],
                handler: list),
            Endpoint(
                .delete, "/v1/partners/{courier_id}", for: .store, "Ends a partnership", room: "Partners",
                query: [Self.release], answers: [.noContent], refuses: [.deliveriesInProgress], handler: end),
        ]
    }

    private static let release = Endpoint.Parameter(
        name: "release", shape: .boolean, what: "Whether deliveries that the courier carries go back to pending.")

    static func redeeming(_ call: Call) -> [Throttle.Bucket] {
        [
            Throttle.Bucket("redeeming by", call.caller.account.description, burst: 10, step: .seconds(30)),
            Throttle.Bucket("redeeming from", call.request.client.network.description, burst: 100, step: .seconds(10)),
        ]
    }

    private func redeem(_ call: Call, _ form: RedeemForm) async throws -> Response {
        try await redemption.redeem(form.code, by: call.caller.account, call.runner).response
    }

    /// Whether the store that was told of is still the courier's partner.
    static func isPartner(_ call: Call, _ told: JSON) async throws -> Bool {
        guard case .object(let members) = told, case .object(let store)? = members["store"],
            case .string(let id)? = store["id"], let store = ID(id)
        else { return false }
        return try await call.run(ArePartners(pair: Pair(store: store, courier: call.caller.account))).first == true
    }

    private func list(_ call: Call) async throws -> Response {
        switch call.caller.kind {
        case .store: return try await ListedCouriers(partnersOf: call).list(call, papers)
        case .courier:
            let page = try call.page()
            let stores = try await call.run(ListStores(courier: call.caller.account, page: page))
            return page.response(stores, key: \.sortKey) { json, store in json.object(store.write) }
        }
    }

    private func end(_ call: Call) async throws -> Response {
        let caller = call.caller
        let releases = try call.request.flag("release") ?? false
        let courier: ID = try call.request.parameter("courier_id")
        guard let name = try await call.run(FindStoreName(store: caller.account)).first else {
            throw Problem.unauthenticated
        }
        let message = Message(
            .partnershipEnded, ["store": name],
            data: ["store_id": .string(caller.account.description), "store_name": .string(name)])
        let pair = Pair(store: caller.account, courier: courier)
        let ending = try await call.runner.together { runner in
            // From here on nobody accepts for this partnership. An accept that is under way is waited for.
            guard try await runner.run(HoldPartnership(pair: pair)).first != nil else { throw Problem.notFound }
            let carries = try await runner.run(CarriesSomething(pair: pair)).first ?? false
            guard releases || !carries else { throw Problem.deliveriesInProgress }
            return try await runner.run(EndPartnership(pair: pair, message: message)).first
        }
        if let ending { await ended(ending) }
        return Response(.noContent)
    }
}

extension Problem {
    static let deliveriesInProgress = Problem(.conflict, "deliveries_in_progress")
}

/// The code of an invite.
struct RedeemForm: Form {
    let code: String

    init(_ fields: inout Fields) {
        code = fields.required("code")
    }
}
