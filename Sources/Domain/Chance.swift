/// Repeatable chance: the same seed gives the same numbers (SplitMix64).
public struct Chance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The chance of a seed.
    public init(seed: UInt64) { state = seed }

    /// The next bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// A number of that range.
    public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// One of them, of which there must be some.
    public mutating func pick<Item>(_ items: [Item]) -> Item { items[number(0...items.count - 1)] }

    /// Whether something happens that happens in so many of a hundred cases.
    public mutating func happens(_ percent: Int) -> Bool { number(1...100) <= percent }
}
