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

    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws {
        var elements = try ArrayReader<Element>(bytes)
        self = []
        reserveCapacity(elements.count)
        while let element = try elements.next() {
            guard let element else { throw PostgresError.unexpected("NULL in an array of \(Element.self)") }
            append(element)
        }
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
        var reader = try ArrayReader<Element>(bytes)
        var elements: [Element?] = []
        elements.reserveCapacity(reader.count)
        while let element = try reader.next() { elements.append(element) }
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

private struct ArrayReader<Element: PostgresValue> {
    /// How many elements there still are.
    private(set) var count = 0
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) throws {
        rest = bytes[...]
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
        guard 0...rest.count / 4 ~= count else { throw PostgresError.unexpected("an array of \(count) elements") }
    }

    /// The next element, which may be NULL; nil at the end.
    mutating func next() throws -> Element?? {
        guard count > 0 else {
            guard rest.isEmpty else { throw PostgresError.unexpected("an array that ends too late") }
            return .none
        }
        count -= 1
        let length = Int(try int32())
        return .some(length == -1 ? nil : try Element(postgres: try take(length)))
    }

    private mutating func int32() throws -> Int32 { try Int32(bigEndian: try take(4)) }

    private mutating func take(_ length: Int) throws -> UnsafeRawBufferPointer {
        guard 0...rest.count ~= length else { throw PostgresError.unexpected("an array that ends too early") }
        defer { rest = rest.dropFirst(length) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(length))
    }
}
