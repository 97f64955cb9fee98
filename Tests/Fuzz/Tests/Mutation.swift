import TestSupport

/// Damages examples by chance.
struct Mutation {
    private(set) var seed: Seed
    private let examples: [[UInt8]]

    init(of examples: [[UInt8]], seed: Seed) { (self.examples, self.seed) = (examples, seed) }

    mutating func next() -> [UInt8] {
        var bytes = seed.pick(examples)
        for _ in 0..<seed.number(1...4) { damage(&bytes) }
        return bytes
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        let place = seed.number(0...bytes.count)
        let end = min(bytes.count, place + seed.number(1...16))
        switch seed.number(0...6) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(seed.number(0...7))
        case 1 where place < bytes.count: bytes[place] = seed.pick(Self.telling)
        case 2: bytes.insert(seed.pick(Self.telling), at: place)
        case 3: bytes.removeSubrange(place..<end)
        case 4: bytes.insert(contentsOf: bytes[place..<end], at: seed.number(0...bytes.count))
        case 5: bytes.replaceSubrange(place..<end, with: piece(of: seed.pick(examples)))
        default: bytes.insert(UInt8(seed.number(0...255)), at: place)
        }
    }

    private mutating func piece(of other: [UInt8]) -> ArraySlice<UInt8> {
        let start = seed.number(0...other.count)
        return other[start..<min(other.count, start + seed.number(1...24))]
    }

    /// Bytes that mean something in one grammar or another, or lie at an edge.
    private static let telling: [UInt8] =
        Array("\0\t\n\r \"#%&'()+,-./09:;<=>?@AZ[\\]_az{}~".utf8) + [0x7f, 0x80, 0xc2, 0xff]
}
