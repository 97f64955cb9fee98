import API
import Domain
import HTTP
import Postgres

/// The directory of couriers, with what shows how reliable they are.
package struct CourierRoom: Room {
    let searches: SlowReads

    package init(searches: SlowReads) {
        self.searches = searches
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/couriers", for: .store, "The directory of couriers, by name", room: "Couriers",
                query: ListedCouriers.parameters, answers: [.ok(.page(of: ListedCourier.shape))],
                refuses: [SlowReads.endedByAThird], handler: { try await ListedCouriers($0).list($0, searches) }),
            Endpoint(
                .get, "/v1/couriers/{id}/cancellations", for: .signedIn,
                "A courier's cancellations, with time and reason; a courier may read only its own", room: "Couriers",
                query: Endpoint.Parameter.list, answers: [.ok(.page(of: Cancellation.shape))], handler: cancellations),
        ]
    }

    private func cancellations(_ call: Call) async throws -> Response {
        let courier: ID = try call.request.parameter("id")
        let caller = call.caller
        guard caller.kind == .store || caller.account == courier,
            try await call.run(CourierExists(courier: courier)).first == true
        else { throw Problem.notFound }
        let page = try call.page()
        let cancellations = try await call.run(ListCancellations(courier: courier, for: caller, page: page))
        return page.response(cancellations, key: { [$0.id.description] }) { json, cancellation in
            json.object(cancellation.write)
        }
    }
}
