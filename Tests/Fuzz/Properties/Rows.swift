import API
import CLibpq
import Deliveries
import Domain
import Postgres

@testable import Postgres

extension Property {
    /// The values of rows, of every type that is read. They are read as what they are when written again, or refused.
    static let rows = Property("rows") { bytes in
        guard let type = bytes.first else { return }
        let value = Array(bytes.dropFirst())
        let reader = readers[Int(type) % readers.count]
        try reader(value)
    }

    private static let readers: [@Sendable ([UInt8]) throws -> Void] = [
        reads(Bool.self), reads(Int16.self), reads(Int32.self), reads(Int64.self), reads(Double.self),
        reads(String.self), reads(Bytes.self), reads(JSONB.self), reads(ID.self), reads(DeliveryStatus.self),
        { bytes in
            try reads(Timestamp.self)(bytes)
            if bytes.count >= 8 {
                let time = Timestamp(microseconds: bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
                try require(time.text.utf8.allSatisfy(shown.contains), time.text)
            }
        },
    ]

    private static let shown = Set("0123456789-T:.Z".utf8)

    /// Reads the bytes as a value and as an array of values, as columns of a row with a NULL behind them.
    private static func reads<V: PostgresValue>(_ type: V.Type) -> @Sendable ([UInt8]) throws -> Void {
        { bytes in
            try roundTrip(V.self, bytes)
            try roundTrip([V].self, bytes)
            try sparse(V.self, bytes)
        }
    }

    private static func roundTrip<V: PostgresValue>(_ type: V.Type, _ bytes: [UInt8]) throws {
        guard let value = try column(bytes, of: V.self, { try $0.read() as V }) else { return }
        let written = encoded(value)
        guard let again = try column(written, of: V.self, { try $0.read() as V }) else {
            throw Broken(description: "\(V.self): \(written) cannot be read again")
        }
        try require(encoded(again), is: written, "\(V.self) read again")
    }

    private static func sparse<V: PostgresValue>(_ type: V.Type, _ bytes: [UInt8]) throws {
        guard let values = try column(bytes, of: [V].self, { try $0.read() as [V?] }) else { return }
        var written: [UInt8] = []
        NullableArray(values).encode(into: &written)
        let again = try column(written, of: [V].self) { try $0.read() as [V?] }
        try require(again?.map { $0.map(encoded) }, is: values.map { $0.map(encoded) }, "\([V?].self) read again")
    }

    private static func encoded(_ value: some PostgresValue) -> [UInt8] {
        var bytes: [UInt8] = []
        value.encode(into: &bytes)
        return bytes
    }

    /// What is read of the first of two columns; nil if it is refused as unexpected. The second is NULL.
    private static func column<V: PostgresValue, Read>(
        _ bytes: [UInt8], of type: V.Type, _ read: (inout RowReader) throws -> Read
    ) throws -> Read? {
        let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK)!
        defer { PQclear(result) }
        "value".withCString { name in
            var columns = (0..<2).map { _ in
                PGresAttDesc(
                    name: UnsafeMutablePointer(mutating: name), tableid: 0, columnid: 0, format: 1,
                    typid: V.postgresType.oid, typlen: -1, atttypmod: -1)
            }
            _ = PQsetResultAttrs(result, 2, &columns)
        }
        _ = bytes.withUnsafeBytes { start in
            PQsetvalue(
                result, 0, 0, UnsafeMutablePointer(mutating: start.bindMemory(to: CChar.self).baseAddress),
                Int32(bytes.count))
        }
        var row = RowReader(result)
        guard row.nextRow() else { throw Broken(description: "no row") }
        do {
            let value = try read(&row)
            try require(try row.read() as V? == nil && row.isNextNull(), "no NULL behind it")
            return value
        } catch PostgresError.unexpected {
            return nil
        }
    }
}
