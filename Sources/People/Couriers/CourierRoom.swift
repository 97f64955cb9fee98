import API
import Domain
import HTTP
import Postgres

/// The directory of couriers, with what shows how reliable they are.
package struct CourierRoom: Room {
    let searches: SlowReads
    let papers: any PartnersPapers

    package init(searches: SlowReads, papers: any PartnersPapers) {
        (self.searches, self.papers) = (searches, papers)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/couriers", for: .store, "The directory of couriers, by name or by reliability",
                room: "Couriers", query: ListedCouriers.parameters, answers: [.ok(.page(of: ListedCourier.shape))],
                refuses: [SlowReads.endedByAThird], handler: { try await ListedCouriers($0).list($0, searches, papers) }
            )
        ]
    }
}
