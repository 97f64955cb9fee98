import Glibc

/// Chance that can be had again: the same seed gives the same numbers.
public struct Seed: RandomNumberGenerator, CustomStringConvertible {
    /// Where it began.
    public let start: UInt64
    private var state: UInt64

    /// Chance that begins there.
    public init(_ start: UInt64) {
        self.start = start
        state = start
    }

    /// The seed in `KURIR_TEST_SEED`, or a new one.
    public static func forThisRun() -> Seed {
        Seed(getenv("KURIR_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: .min ... .max))
    }

    public var description: String { "KURIR_TEST_SEED=\(start)" }

    /// SplitMix64.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// A number in the range.
    public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// One of the items.
    public mutating func pick<Item>(_ items: [Item]) -> Item { items[number(0...items.count - 1)] }

    /// True once in `times`.
    public mutating func once(in times: Int) -> Bool { number(1...times) == 1 }
}
