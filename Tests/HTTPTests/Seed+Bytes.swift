import TestSupport

extension Seed {
    mutating func bytes(_ range: ClosedRange<Int>, of set: Bytes) -> [UInt8] {
        let all = set.all
        return (0..<number(range)).map { _ in pick(all) }
    }

    mutating func text(_ range: ClosedRange<Int>, of set: Bytes) -> String { latin1(bytes(range, of: set)) }
}
