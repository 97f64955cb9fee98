import API
import Domain
import HTTP
import Postgres

/// The couriers that a store asks for.
struct ListedCouriers: Sendable {
    let page: Page
    private let store: ID
    private let isPartner: Bool?
    private let text: String?
    private let sort: CourierSort

    static let parameters =
        [
            Endpoint.Parameter(name: "partner", shape: .boolean, what: "true: only partners; false: only others."),
            Endpoint.Parameter(
                name: "q", shape: .string(most: Bounds.search),
                what: """
                    Words, each of which must begin a word of the name, regardless of case and accents; or digits of \
                    a partner's phone number. A page of a search may hold fewer items than asked for and still have a \
                    next page.
                    """),
            Endpoint.Parameter(
                name: "sort", shape: .oneOf(CourierSort.allCases.map(\.rawValue)),
                what: "name (usual); reliability: the most reliable first, and last those who did too little to tell."),
        ] + Endpoint.Parameter.list

    init(_ call: Call) throws {
        try self.init(
            of: call.caller.account, try call.page(), isPartner: try call.request.flag("partner"),
            text: try call.request.text("q", upTo: Bounds.search), sort: try CourierSort(call.request))
    }

    /// All of the store's partners, by name.
    init(partnersOf call: Call) throws {
        try self.init(of: call.caller.account, try call.page(), isPartner: true)
    }

    init(of store: ID, _ page: Page, isPartner: Bool?, text: String? = nil, sort: CourierSort = .name) throws {
        (self.store, self.page, self.isPartner, self.text, self.sort) = (store, page, isPartner, text, sort)
        if let key = page.after, !sort.order.isPlace(key) { throw Page.wrongCursor }
    }

    /// The page by name, without a search.
    func list(_ call: Call, _ papers: any PartnersPapers) async throws -> Response {
        let couriers =
            try await isPartner == true ? call.run(ListPartners(of: self)) : call.run(ListCouriers<ByName>(of: self))
        return try await response(Found(items: couriers, edge: nil), call, papers)
    }

    /// The page. What is searched for, and the ranks of all partners, may take a while.
    func list(_ call: Call, _ searches: SlowReads, _ papers: any PartnersPapers) async throws -> Response {
        switch (text, sort) {
        case (nil, .name): return try await list(call, papers)
        case (nil, .reliability) where isPartner != true:
            let ranked = try await call.run(ListCouriers<ByReliability>(of: self))
            return try await response(Found(items: ranked, edge: nil), call, papers)
        case (nil, .reliability):
            let ranked = try await searches.run(for: store) { try await $0.run(RankPartners(of: self)) }
            return try await response(Found(items: ranked, edge: nil), call, papers)
        case (let text?, .name):
            return try await response(search(text, by: ByName.self, searches), call, papers)
        case (let text?, .reliability):
            return try await response(search(text, by: ByReliability.self, searches), call, papers)
        }
    }

    private func search(
        _ text: String, by order: (some CourierOrder).Type, _ searches: SlowReads
    ) async throws -> Found<ListedCourier> {
        try await searches.run(for: store) { try await steps(text, by: order, $0).page(of: page.fetched) }
    }

    private func response(
        _ found: Found<ListedCourier>, _ call: Call, _ papers: any PartnersPapers
    ) async throws -> Response {
        let partners = found.items.filter { $0.partnerSince != nil }.map(\.id)
        let shared = try await papers.papers(of: partners, for: store, call.runner)
        return page.response(found.items, key: \.sortKey, next: found.edge) { json, courier in
            json.object { courier.write(&$0, papers: shared[courier.id] ?? [:]) }
        }
    }

    private func steps<Order: CourierOrder>(
        _ text: String, by order: Order.Type, _ runner: SlowRunner
    ) -> SearchSteps<ListedCourier> {
        SearchSteps { most in
            Found(try await runner.run(WalkCouriers<Order>(of: self, text: text, most: most)))
        } hits: {
            let rows = try await runner.run(FindCouriersByWord<Order>(of: self, text: text))
            return rows.first?.remark == true ? nil : rows.compactMap(\.item)
        }
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(isPartner)
        parameters.add(page.after)
        parameters.add(page.fetched)
    }
}
