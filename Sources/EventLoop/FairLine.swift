/// What waits, by whose it is. Turns go round, so whoever has much waiting waits behind itself alone.
package struct FairLine<Owner: Hashable, Waiting> {
    private var waiting: [Owner: [Waiting]] = [:]
    private var order: [Owner] = []
    package private(set) var count = 0

    package init() {}

    /// How many come before the next one of this owner.
    package func ahead(of owner: Owner) -> Int {
        let turn = (waiting[owner]?.count ?? 0) + 1
        return waiting.values.reduce(0) { $0 + min($1.count, turn) }
    }

    package mutating func append(_ one: Waiting, of owner: Owner) {
        if waiting[owner] == nil { order.append(owner) }
        waiting[owner, default: []].append(one)
        count += 1
    }

    package mutating func next() -> Waiting? {
        guard let owner = order.first else { return nil }
        order.removeFirst()
        let one = waiting[owner]?.removeFirst()
        if waiting[owner]?.isEmpty == true { waiting[owner] = nil } else { order.append(owner) }
        count -= 1
        return one
    }

    /// Takes the first of this owner out that is meant, if it still waits.
    package mutating func remove(of owner: Owner, where isMeant: (Waiting) -> Bool) -> Waiting? {
        guard let place = waiting[owner]?.firstIndex(where: isMeant) else { return nil }
        let one = waiting[owner]?.remove(at: place)
        if waiting[owner]?.isEmpty == true {
            waiting[owner] = nil
            order.removeAll { $0 == owner }
        }
        count -= 1
        return one
    }
}
