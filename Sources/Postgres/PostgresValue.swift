/// A value that PostgreSQL stores, with its binary form. Conform your own types to it.
public protocol PostgresValue: Sendable {
    /// The type that parameters are declared as.
    static var postgresType: PostgresType { get }

    /// Whether a column of the type with this number can be read.
    static func canRead(oid: UInt32) -> Bool

    /// Appends the binary form.
    func encode(into bytes: inout [UInt8])

    /// Reads the binary form.
    init(postgres bytes: UnsafeRawBufferPointer) throws
}

extension PostgresValue {
    /// By default it reads the type that it writes.
    public static func canRead(oid: UInt32) -> Bool { oid == postgresType.oid }
}

/// A type of PostgreSQL, by its numbers, which never change.
public struct PostgresType: Hashable, Sendable {
    /// The type's number.
    public let oid: UInt32
    /// The number of the type of its arrays; 0 when there is none.
    public let arrayOID: UInt32

    /// A type by its numbers.
    public init(oid: UInt32, arrayOID: UInt32) {
        self.oid = oid
        self.arrayOID = arrayOID
    }

    /// The type of its arrays.
    var array: PostgresType { PostgresType(oid: arrayOID, arrayOID: 0) }

    /// `boolean`.
    public static let bool = PostgresType(oid: 16, arrayOID: 1000)
    /// `bytea`.
    public static let bytea = PostgresType(oid: 17, arrayOID: 1001)
    /// `bigint`.
    public static let int8 = PostgresType(oid: 20, arrayOID: 1016)
    /// `smallint`.
    public static let int2 = PostgresType(oid: 21, arrayOID: 1005)
    /// `integer`.
    public static let int4 = PostgresType(oid: 23, arrayOID: 1007)
    /// `text`.
    public static let text = PostgresType(oid: 25, arrayOID: 1009)
    /// `double precision`.
    public static let float8 = PostgresType(oid: 701, arrayOID: 1022)
    /// `timestamptz`.
    public static let timestamptz = PostgresType(oid: 1184, arrayOID: 1185)
    /// `uuid`.
    public static let uuid = PostgresType(oid: 2950, arrayOID: 2951)
    /// `jsonb`.
    public static let jsonb = PostgresType(oid: 3802, arrayOID: 3807)

    /// Types that a database defines itself, such as enums, have numbers from here on.
    static let firstOwn: UInt32 = 16384
}

extension Array<UInt8> {
    /// Appends a number in network byte order.
    public mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

extension FixedWidthInteger {
    /// Reads a number in network byte order. There must be exactly as many bytes as it has.
    public init(bigEndian bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count == MemoryLayout<Self>.size else {
            throw PostgresError.unexpected("\(bytes.count) bytes for \(Self.self)")
        }
        self = Self(bigEndian: bytes.loadUnaligned(as: Self.self))
    }
}

/// An integer whose binary form is its bytes.
public protocol PostgresInteger: PostgresValue, FixedWidthInteger {}

extension PostgresInteger {
    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws { try self.init(bigEndian: bytes) }
}

extension Int16: PostgresInteger {
    /// It is PostgreSQL's `smallint`.
    public static var postgresType: PostgresType { .int2 }
}

extension Int32: PostgresInteger {
    /// It is PostgreSQL's `integer`.
    public static var postgresType: PostgresType { .int4 }
}

extension Int64: PostgresInteger {
    /// It is PostgreSQL's `bigint`.
    public static var postgresType: PostgresType { .int8 }
}

extension Bool: PostgresValue {
    /// It is PostgreSQL's `boolean`.
    public static var postgresType: PostgresType { .bool }
    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws { self = try UInt8(bigEndian: bytes) != 0 }
}

extension Double: PostgresValue {
    /// It is PostgreSQL's `double precision`.
    public static var postgresType: PostgresType { .float8 }
    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: bitPattern) }
    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws { self.init(bitPattern: try UInt64(bigEndian: bytes)) }
}

extension String: PostgresValue {
    /// It is PostgreSQL's `text`.
    public static var postgresType: PostgresType { .text }

    /// Reads also `char(n)`, `varchar`, `name`, and enums, whose binary form is their text.
    public static func canRead(oid: UInt32) -> Bool {
        switch oid {
        case PostgresType.text.oid, 1043, 1042, 19, PostgresType.firstOwn...: true
        default: false
        }
    }

    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws { self.init(decoding: bytes, as: UTF8.self) }
}
