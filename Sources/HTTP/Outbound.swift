/// The bytes that wait to be written to a client.
struct Outbound {
    private(set) var bytes: [UInt8] = []
    private var start = 0
    /// How many bytes the client has taken so far, and how many it must have taken by the deadline.
    private var taken = 0
    private var awaited = 0

    /// How many bytes wait.
    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    /// A copy of what waits.
    var all: [UInt8] { Array(bytes[start...]) }

    mutating func append(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    mutating func append(_ more: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: more.utf8Start, count: more.utf8CodeUnitCount))
    }

    mutating func append(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        bytes.append(0x30 + UInt8(number % 10))
    }

    mutating func append(hexadecimal number: Int) {
        append(String(number, radix: 16).utf8)
    }

    /// Offers the waiting bytes to `write`, which says how many it took.
    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int) {
        let count = bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        start += count
        taken += count
        guard isEmpty else { return forgetTaken() }
        start = 0
        // Room for an ordinary answer is kept; room for a large one is given back.
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * 1024)
    }

    /// A stream may always have bytes waiting, so taken bytes and their room are dropped once they are the greater
    /// part.
    private mutating func forgetTaken() {
        guard start > bytes.count / 2 else { return }
        bytes = Array(bytes[start...])
        start = 0
    }

    /// Whether everything is gone that was waiting when this was last true. A client that reads one byte at a time
    /// makes no progress in this sense.
    mutating func madeProgress() -> Bool {
        guard taken >= awaited else { return false }
        awaited = taken + count
        return true
    }
}
