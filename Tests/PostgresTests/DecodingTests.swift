import Postgres
import Testing

/// Values that no sound server sends.
@Suite struct DecodingTests {
    private static func array(_ count: Int32, _ elements: [UInt8], dimensions: Int32 = 1) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [dimensions, 0, 23] { bytes.append(bigEndian: number) }
        guard dimensions > 0 else { return bytes + elements }
        for number in [count, 1] { bytes.append(bigEndian: number) }
        return bytes + elements
    }

    private static let seven: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 7]

    @Test func `an array has as many elements as it says`() throws {
        #expect(try Self.read([Int32].self, Self.array(2, Self.seven + Self.seven)) == [7, 7])
        #expect(try Self.read([Int32].self, Self.array(0, [], dimensions: 0)) == [])
        Self.expectRefusal([Int32].self, Self.array(0, Self.seven, dimensions: 0))
        for count in [2, 0, -1, .max] as [Int32] { Self.expectRefusal([Int32].self, Self.array(count, Self.seven)) }
    }

    @Test(arguments: [-2, 5, .max, .min] as [Int32])
    func `an element is as long as it can be`(_ length: Int32) {
        var element: [UInt8] = []
        element.append(bigEndian: length)
        Self.expectRefusal([Int32].self, Self.array(1, element + [0, 0, 0, 7]))
    }

    @Test(arguments: [.max - 1, .max - 946_684_800_000_000, 9_223_371_331_199_999_999] as [Int64])
    func `a time that cannot be counted from 1970 is refused`(_ sinceEpoch: Int64) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: sinceEpoch)
        Self.expectRefusal(Timestamp.self, bytes)
    }

    private static func read<V: PostgresValue>(_ type: V.Type, _ bytes: [UInt8]) throws -> V {
        try bytes.withUnsafeBytes { try V(postgres: $0) }
    }

    private static func expectRefusal<V: PostgresValue>(_ type: V.Type, _ bytes: [UInt8]) {
        #expect("\(bytes)") {
            try read(V.self, bytes)
        } throws: { error in
            if case PostgresError.unexpected = error { true } else { false }
        }
    }
}
