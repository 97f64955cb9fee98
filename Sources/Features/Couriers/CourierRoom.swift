import Domain
import HTTP
import Postgres

/// The directory of couriers, with what shows how reliable they are.
public struct CourierRoom: Room {
    public var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/couriers", for: .store, "The directory of couriers, by name", room: "Couriers",
                query: [Self.partner, Self.text] + Endpoint.Parameter.list,
                answers: [.ok(.page(of: ListedCourier.shape))], handler: list),
            Endpoint(
                .get, "/v1/couriers/{id}/cancellations", for: .signedIn,
                "When and why each cancellation counted; a courier may ask for its own", room: "Couriers",
                query: Endpoint.Parameter.list, answers: [.ok(.page(of: Cancellation.shape))], handler: cancellations),
        ]
    }

    private static let partner = Endpoint.Parameter(
        name: "partner", shape: .boolean, what: "Only partners, or only others.")
    private static let text = Endpoint.Parameter(
        name: "q", shape: .string(most: 100), what: "Part of the name, or of a partner's number.")

    private func list(_ call: Call) async throws -> Response {
        let page = try call.page()
        let couriers = try await call.run(
            ListCouriers(
                store: call.caller.account, isPartner: try call.request.flag("partner"),
                matching: try call.request.text("q", upTo: 100), page: page))
        return page.response(couriers, key: \.sortKey) { json, courier in json.object(courier.write) }
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
