/// A point in time as `timestamptz` has it, in microseconds since 1970.
public struct Timestamp: Comparable, Hashable, Sendable {
    /// Microseconds since the beginning of 1970, UTC.
    public var microseconds: Int64

    /// So many microseconds after the beginning of 1970, UTC.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// What PostgreSQL calls infinity.
    public static let infinity = Timestamp(microseconds: .max)
    /// What PostgreSQL calls -infinity.
    public static let minusInfinity = Timestamp(microseconds: .min)

    /// Earlier comes first.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Timestamp: PostgresValue {
    /// It is PostgreSQL's `timestamptz`.
    public static var postgresType: PostgresType { .timestamptz }

    /// PostgreSQL counts from the beginning of 2000.
    private static let epoch: Int64 = 946_684_800_000_000

    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) {
        let (sinceEpoch, overflow) = microseconds.subtractingReportingOverflow(Self.epoch)
        let isInfinite = overflow || self == .infinity
        bytes.append(bigEndian: isInfinite ? microseconds : sinceEpoch)
    }

    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws {
        let sinceEpoch = try Int64(bigEndian: bytes)
        let isInfinite = sinceEpoch == .min || sinceEpoch == .max
        let (microseconds, overflow) = sinceEpoch.addingReportingOverflow(isInfinite ? 0 : Self.epoch)
        self.init(microseconds: microseconds)
        guard !overflow, isInfinite || self != .infinity else { throw PostgresError.unexpected("a time too far away") }
    }
}

/// Bytes as `bytea` has them.
public struct Bytes: Hashable, Sendable {
    /// The bytes.
    public var bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension Bytes: PostgresValue {
    /// It is PostgreSQL's `bytea`.
    public static var postgresType: PostgresType { .bytea }
    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes) }
    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws { self.init(Array(bytes)) }
}

/// A JSON text as `jsonb` has it.
public struct JSONB: Hashable, Sendable {
    /// The text in UTF-8.
    public var utf8: [UInt8]

    /// Wraps a JSON text in UTF-8.
    public init(utf8: [UInt8]) {
        self.utf8 = utf8
    }
}

extension JSONB: PostgresValue {
    /// It is PostgreSQL's `jsonb`.
    public static var postgresType: PostgresType { .jsonb }

    /// The binary form is the text behind this version number.
    private static let version: UInt8 = 1

    /// Appends the binary form.
    public func encode(into bytes: inout [UInt8]) {
        bytes.append(Self.version)
        bytes.append(contentsOf: utf8)
    }

    /// Reads the binary form.
    public init(postgres bytes: UnsafeRawBufferPointer) throws {
        guard bytes.first == Self.version else { throw PostgresError.unexpected("a jsonb of another version") }
        self.init(utf8: Array(bytes.dropFirst()))
    }
}
