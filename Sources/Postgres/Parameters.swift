/// The parameters of one call, encoded one after the other in memory that later calls use again.
public struct Parameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int] = []
    private var lengths: [Int32] = []
    private var types: [UInt32] = []
    private var formats: [Int32] = []
    private var pointers: [UnsafePointer<CChar>?] = []

    /// Memory beyond this, which a huge call needed, is given back.
    private static let keptCapacity = 1 << 20

    init() {
        bytes.reserveCapacity(1024)
    }

    /// Adds a value.
    public mutating func add<V: PostgresValue>(_ value: V) {
        add(type: V.postgresType) { value.encode(into: &$0) }
    }

    /// Adds a value or NULL.
    public mutating func add<V: PostgresValue>(_ value: V?) {
        if let value { add(value) } else { addNull(type: V.postgresType) }
    }

    /// Adds an array that may have NULLs in it.
    public mutating func add<V: PostgresValue>(_ values: [V?]) {
        add(type: [V].postgresType) { NullableArray(values).encode(into: &$0) }
    }

    /// Adds an array of so many elements. `encode` appends the binary form of the one at a place; it gives false for NULL, for
    /// which it appends nothing.
    public mutating func add(
        arrayOf element: PostgresType, count: Int, _ encode: (_ place: Int, _ bytes: inout [UInt8]) -> Bool
    ) {
        add(type: element.array) { encodeArray(of: element, count: count, into: &$0, encode) }
    }

    private mutating func add(type: PostgresType, encode: (inout [UInt8]) -> Void) {
        let offset = bytes.count
        encode(&bytes)
        offsets.append(offset)
        lengths.append(Int32(bytes.count - offset))
        types.append(type.oid)
        formats.append(Self.binary)
    }

    private static let null = -1
    private static let binary: Int32 = 1

    private mutating func addNull(type: PostgresType) {
        offsets.append(Self.null)
        lengths.append(0)
        types.append(type.oid)
        formats.append(Self.binary)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        offsets.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
    }

    var count: Int32 { Int32(offsets.count) }

    /// The types' numbers, as libpq wants them.
    func withTypes<Answer>(_ body: (UnsafePointer<UInt32>?) -> Answer) -> Answer {
        types.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    /// Values, lengths and formats, as libpq wants them.
    mutating func withValues<Answer>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Answer
    ) -> Answer {
        pointers.removeAll(keepingCapacity: true)
        return bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
            for offset in offsets { pointers.append(offset == Self.null ? nil : base + offset) }
            return pointers.withUnsafeBufferPointer { pointers in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}
