/// How a search goes about a page of a list: in a few steps, each of which looks at a bounded number of things.
package struct SearchSteps<Item: Sendable>: Sendable {
    /// So many show whether what is looked for is frequent.
    private static var glance: Int32 { 16 }
    /// So many are brought into the list's order at most.
    package static var mostHits: Int32 { 2000 }

    /// Looks at so many in the order of the list.
    let walk: @Sendable (_ most: Int32) async throws -> Found<Item>
    /// All of them by the index of words; nil when there are too many to sort.
    let hits: @Sendable () async throws -> [Item]?

    package init(
        walk: @escaping @Sendable (_ most: Int32) async throws -> Found<Item>,
        hits: @escaping @Sendable () async throws -> [Item]?
    ) {
        (self.walk, self.hits) = (walk, hits)
    }

    /// A page of so many. Rare words are few, and all of them are sorted. Those that a glance at the beginning of the list
    /// shows to be frequent fill the page from there, without asking the index for all of them; and between those the list
    /// is walked on, page by page.
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
