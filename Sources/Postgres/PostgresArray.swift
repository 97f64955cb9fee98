/// One-dimensional arrays. Those with NULLs in them go by ``Parameters/add(_:)-([V?])`` and ``RowReader/read()-[V?]``.
extension Array: PostgresValue where Element: PostgresValue {
    /// The type of arrays of the elements' type.
    public static var postgresType: PostgresType { Element.postgresType.array }

    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) {
        encodeArray(of: Element.postgresType, count: count, into: &bytes) { place, bytes in
            self[place].encode(into: &bytes)
            return true
        }
    }

    /// Reads the binary form. Of numbers there may be hundreds of thousands.
    @specialized(where Element == Int32)
    public init(postgres bytes: UnsafeRawBufferPointer) throws {
        var elements = try ArrayReader(bytes, of: Element.self)
        self = []
        reserveCapacity(elements.count)
        while elements.count > 0 {
            guard let element = try elements.next() else {
                throw PostgresError.unexpected("NULL in an array of \(Element.self)")
            }
            append(try Element(postgres: element))
        }
        try elements.end()
    }
}

/// The same with NULLs. It is separate, because an optional is not a value of its own.
struct NullableArray<Element: PostgresValue> {
    let elements: [Element?]

    init(_ elements: [Element?]) {
        self.elements = elements
    }

    func encode(into bytes: inout [UInt8]) {
        encodeArray(of: Element.postgresType, count: elements.count, into: &bytes) { place, bytes in
            elements[place]?.encode(into: &bytes) != nil
        }
    }

    init(postgres bytes: UnsafeRawBufferPointer) throws {
        var reader = try ArrayReader(bytes, of: Element.self)
        var elements: [Element?] = []
        elements.reserveCapacity(reader.count)
        while reader.count > 0 { elements.append(try reader.next().map { try Element(postgres: $0) }) }
        try reader.end()
        self.elements = elements
    }
}

/// Appends the binary form of an array. `encode` appends that of the element at a place, or gives false if it is NULL.
func encodeArray(
    of element: PostgresType, count: Int, into bytes: inout [UInt8], _ encode: (Int, inout [UInt8]) -> Bool
) {
    let start = bytes.count
    ArrayHeader(count: count, element: element).encode(into: &bytes)
    for place in 0..<count {
        let before = bytes.count
        bytes.append(bigEndian: Int32(0))
        let isThere = encode(place, &bytes)
        if !isThere { bytes[start + ArrayHeader.placeOfNulls] = 1 }
        let length = isThere ? UInt32(bytes.count - before - 4) : .max
        for byte in 0..<4 { bytes[before + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * byte)) }
    }
}

private struct ArrayHeader {
    let count: Int
    let element: PostgresType

    /// The byte of it that says whether there are NULLs.
    static let placeOfNulls = 7

    func encode(into bytes: inout [UInt8]) {
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        bytes.append(bigEndian: Int32(0))
        bytes.append(bigEndian: element.oid)
        guard count > 0 else { return }
        bytes.append(bigEndian: Int32(count))
        bytes.append(bigEndian: Int32(1))
    }
}

/// Goes through the bytes of an array. It knows no type of elements, so that the compiler makes the same fast code for all.
private struct ArrayReader {
    /// How many elements there still are.
    private(set) var count = 0
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init<Element: PostgresValue>(_ bytes: UnsafeRawBufferPointer, of element: Element.Type) throws {
        self.bytes = bytes
        let dimensions = try int32()
        _ = try int32()
        guard Element.canRead(oid: UInt32(bitPattern: try int32())), 0...1 ~= dimensions else {
            throw PostgresError.unexpected("not a one-dimensional array of \(Element.self)")
        }
        if dimensions == 1 {
            count = Int(try int32())
            _ = try int32()
        }
        // Each element has its length before it.
        guard 0...(bytes.count - place) / 4 ~= count else {
            throw PostgresError.unexpected("an array of \(count) elements")
        }
    }

    /// The bytes of the next element; nil for NULL.
    mutating func next() throws -> UnsafeRawBufferPointer? {
        count -= 1
        let length = Int(try int32())
        return length == -1 ? nil : try take(length)
    }

    func end() throws {
        guard place == bytes.count else { throw PostgresError.unexpected("an array that ends too late") }
    }

    private mutating func int32() throws -> Int32 { try Int32(bigEndian: try take(4)) }

    private mutating func take(_ length: Int) throws -> UnsafeRawBufferPointer {
        guard 0...(bytes.count - place) ~= length else {
            throw PostgresError.unexpected("an array that ends too early")
        }
        defer { place += length }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<(place + length)])
    }
}
