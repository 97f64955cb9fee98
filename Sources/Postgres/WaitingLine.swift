/// A queue in a ring that grows and is used again.
struct WaitingLine<Element> {
    private var ring: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : ring[head] }

    mutating func append(_ element: Element) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            ring[head] = nil
            head = (head + 1) & (ring.count - 1)
            count -= 1
        }
        return ring[head]
    }

    /// Keeps the elements that satisfy the condition, in order.
    mutating func keep(where condition: (Element) -> Bool) {
        for _ in 0..<count {
            if let element = popFirst(), condition(element) { append(element) }
        }
    }

    /// The size is a power of two, so that places wrap by a mask.
    private mutating func grow() {
        let inOrder = ring[head...] + ring[..<head]
        ring = inOrder + [Element?](repeating: nil, count: max(16, ring.count))
        head = 0
    }
}
