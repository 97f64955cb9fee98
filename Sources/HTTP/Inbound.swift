/// The bytes that came from a client and were not used yet.
struct Inbound {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.count == start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Lends everything that is there.
    func read<Answer>(_ body: (Span<UInt8>) throws(Malformed) -> Answer) throws(Malformed) -> Answer {
        try body(bytes.span.extracting(start..<bytes.count))
    }

    /// A copy of what comes next.
    func prefix(_ count: Int) -> [UInt8] {
        Array(bytes[start..<start + count])
    }

    mutating func consume(_ count: Int) {
        start += count
        guard isEmpty else { return }
        start = 0
        // An idle connection keeps little memory.
        bytes.removeAll(keepingCapacity: bytes.capacity <= 2048)
    }

    mutating func drop() {
        consume(bytes.count - start)
    }
}
