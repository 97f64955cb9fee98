import Domain
import Glibc

/// Chance whose seed a failed test prints, so that it can be repeated.
public struct Seed: RandomNumberGenerator, CustomStringConvertible {
    /// The seed.
    public let start: UInt64
    private var chance: Chance

    /// Chance from that seed.
    public init(_ start: UInt64) {
        self.start = start
        chance = Chance(seed: start)
    }

    /// The seed in `KURIR_TEST_SEED`; else that which is usual, or a new one.
    public static func forThisRun(unless usual: UInt64? = nil) -> Seed {
        let wanted = getenv("KURIR_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
        return Seed(wanted ?? usual ?? .random(in: .min ... .max))
    }

    public var description: String { "KURIR_TEST_SEED=\(start)" }

    public mutating func next() -> UInt64 { chance.next() }

    /// A number in the range.
    public mutating func number(_ range: ClosedRange<Int>) -> Int { chance.number(range) }

    /// One of the items.
    public mutating func pick<Item>(_ items: [Item]) -> Item { chance.pick(items) }

    /// True once in `times`.
    public mutating func once(in times: Int) -> Bool { number(1...times) == 1 }
}
