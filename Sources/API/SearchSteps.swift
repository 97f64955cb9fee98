/// How a search fills a page of a list: in a few steps, each of which looks at a bounded number of things.
package struct SearchSteps<Item: Sendable>: Sendable {
    /// How many places a glance looks at, to see whether hits are frequent.
    private static var glance: Int32 { 16 }
    /// How many hits are sorted at most.
    package static var mostHits: Int32 { 2000 }

    /// Looks at so many places in the order of the list.
    let walk: @Sendable (_ most: Int32) async throws -> Found<Item>
    /// Finds all hits by the index of words; nil when there are too many to sort.
    let hits: @Sendable () async throws -> [Item]?

    package init(
        walk: @escaping @Sendable (_ most: Int32) async throws -> Found<Item>,
        hits: @escaping @Sendable () async throws -> [Item]?
    ) {
        (self.walk, self.hits) = (walk, hits)
    }

    /// A page of so many. If a glance at the beginning of the list shows that hits are frequent, the page is filled
    /// from there, without asking the index for all of them. Otherwise all hits are found and sorted, which are few for
    /// rare words. If they are too many, the list is walked on, page by page.
    package func page(of count: Int32) async throws -> Found<Item> {
        let glance = try await walk(min(Self.glance, count))
        guard glance.edge != nil, glance.items.count < count else { return glance }
        if glance.items.count >= Self.glance / 4 {
            let near = try await walk(min(8 * count, Found<Item>.mostPlaces))
            if near.items.count >= count || near.edge == nil { return near }
        }
        if let hits = try await hits() { return Found(items: hits, edge: nil) }
        return try await walk(Found<Item>.mostPlaces)
    }
}
