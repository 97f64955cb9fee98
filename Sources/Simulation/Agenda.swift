/// What is to come in a story, in the order of time.
struct Agenda {
    enum Entry {
        case look(Person)
        /// What was sent when the network was lost.
        case sendAgain(Act)
    }

    /// The latest stands first.
    private var entries: [(at: Int, entry: Entry)] = []

    /// When the next one is.
    var next: Int { entries.last?.at ?? .max }

    /// Entries for the same second keep their order.
    mutating func add(_ entry: Entry, at second: Int) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].at > second { low = middle + 1 } else { high = middle }
        }
        entries.insert((second, entry), at: low)
    }

    mutating func takeNext() -> (at: Int, entry: Entry)? { entries.popLast() }
}
