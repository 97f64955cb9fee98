import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct CodecTests {
    @Test func `booleans come back as they were`() async throws {
        try await roundTrip([true, false])
    }

    @Test func `integers come back as they were, even their extremes`() async throws {
        try await roundTrip([Int16.min, -1, 0, 1, Int16.max])
        try await roundTrip([Int32.min, -1, 0, 1, Int32.max])
        try await roundTrip([Int64.min, -1, 0, 1, Int64.max])
    }

    @Test func `doubles come back as they were, even their extremes`() async throws {
        try await roundTrip(
            [
                0, -0.5, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity,
            ] as [Double])
    }

    @Test func `texts come back as they were`() async throws {
        try await roundTrip(["", "a", "Čakovec, Đurđevac 🚚", #""\,{}NULL"#, String(repeating: "ž", count: 100_000)])
    }

    @Test func `points in time come back as they were, even the infinite ones`() async throws {
        try await roundTrip([
            Timestamp(microseconds: 0), Timestamp(microseconds: -1), Timestamp(microseconds: 1_800_000_000_123_456),
            .infinity, .minusInfinity,
        ])
    }

    @Test func `bytes, JSON and a type from elsewhere come back as they were`() async throws {
        try await roundTrip([Bytes([]), Bytes([0]), Bytes(Array(0...255))])
        try await roundTrip([#"{"a": [1, null, "č"]}"#, "null", "[]"].map { JSONB(utf8: Array($0.utf8)) })
        try await roundTrip([Identifier(bytes: (0, .max)), Identifier(bytes: (.max, 1))])
    }

    @Test func `the server takes apart an array of a type from elsewhere`() async throws {
        struct Reverse: Statement {
            static let sql = """
                SELECT array_agg(id ORDER BY place DESC), array_agg(DISTINCT id)
                FROM unnest($1::uuid[]) WITH ORDINALITY AS given (id, place) WHERE id = ANY ($1)
                """
            var ids: [Identifier]
            func bind(into parameters: inout Parameters) { parameters.add(ids) }
            static func decode(_ row: inout RowReader) throws -> [[Identifier]] { [try row.read(), try row.read()] }
        }
        let ids = (0..<1000).map { Identifier(bytes: (0x0190_0000_0000_7000 + $0, .max - $0)) }
        let answer = try await withDatabase { database, _ in try await database.run(Reverse(ids: ids)) }
        #expect(answer == [[ids.reversed(), ids]])
    }

    @Test func `encoded values are what PostgreSQL understands by them`() async throws {
        struct Spell: Statement {
            static let sql = """
                SELECT concat_ws('|', $1::bool, $2::int2, $3::int8, $4::float8, $5::text,
                    extract(epoch FROM $6::timestamptz), $7::bytea, $8::jsonb, $9::uuid, $10::int4[], $11::text[])
                """
            func bind(into parameters: inout Parameters) {
                parameters.add(true)
                parameters.add(Int16(-2))
                parameters.add(Int64(3))
                parameters.add(0.5)
                parameters.add("five")
                parameters.add(Timestamp(microseconds: 6_000_007))
                parameters.add(Bytes([7, 255]))
                parameters.add(JSONB(utf8: Array(#"{"e": 8}"#.utf8)))
                parameters.add(Identifier(bytes: (0x0123_4567_89ab_cdef, 9)))
                parameters.add([Int32(10), -10])
                parameters.add(["a,b", nil, "NULL"])
            }
            static func decode(_ row: inout RowReader) throws -> String { try row.read() }
        }
        let spelled = try await withDatabase { database, _ in try await database.run(Spell()) }
        #expect(
            spelled == [
                #"t|-2|3|0.5|five|6.000007|\x07ff|{"e": 8}|01234567-89ab-cdef-0000-000000000009|{10,-10}|{"a,b",NULL,"NULL"}"#
            ])
    }

    @Test func `other texts of the server are read as text`() async throws {
        struct Texts: Statement {
            static let sql = "SELECT 'a'::varchar(3), 'b'::char(2), 'c'::name, 'sad'::mood"
            static func decode(_ row: inout RowReader) throws -> [String] {
                [try row.read(), try row.read(), try row.read(), try row.read()]
            }
        }
        struct CreateMood: Statement {
            static let sql = "CREATE TYPE mood AS ENUM ('sad', 'glad')"
        }
        try await withDatabase { database, _ in
            try await database.run(CreateMood())
            #expect(try await database.run(Texts()) == [["a", "b ", "c", "sad"]])
        }
    }

    @Test func `unexpected NULLs, dimensions and missing columns are errors`() async throws {
        struct Null: Statement {
            static let sql = "SELECT NULL::int8"
            static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
        }
        struct NullInArray: Statement {
            static let sql = "SELECT ARRAY[1, NULL]::int8[]"
            static func decode(_ row: inout RowReader) throws -> [Int64] { try row.read() }
        }
        struct Matrix: Statement {
            static let sql = "SELECT ARRAY[[1], [2]]::int8[]"
            static func decode(_ row: inout RowReader) throws -> [Int64] { try row.read() }
        }
        struct Short: Statement {
            static let sql = "SELECT 1::int8"
            static func decode(_ row: inout RowReader) throws -> [Int64] { [try row.read(), try row.read()] }
        }
        try await withDatabase { database, _ in
            await expectUnexpected { try await database.run(Null()) }
            await expectUnexpected { try await database.run(NullInArray()) }
            await expectUnexpected { try await database.run(Matrix()) }
            await expectUnexpected { try await database.run(Short()) }
        }
    }
}

/// Sends each value, NULL, and arrays of them to the server, and compares what comes back.
private func roundTrip<Value: PostgresValue & Equatable>(_ values: [Value]) async throws {
    try await withDatabase(poolSize: 1) { database, _ in
        for value in values {
            let call = Mirror(value: value, null: nil, values: values, sparse: [nil, value, nil], noArray: nil)
            let answer = try await database.run(call)
            #expect(answer == [call])
        }
        let empty = Mirror<Value>(value: values[0], null: values[0], values: [], sparse: [], noArray: [])
        let answer = try await database.run(empty)
        #expect(answer == [empty])
    }
}

/// Returns its parameters.
private struct Mirror<Value: PostgresValue & Equatable>: Statement, Equatable {
    static var sql: String { "SELECT $1, $2, $3, $4, $5" }

    var value: Value
    var null: Value?
    var values: [Value]
    var sparse: [Value?]
    var noArray: [Value]?

    func bind(into parameters: inout Parameters) {
        parameters.add(value)
        parameters.add(null)
        parameters.add(values)
        parameters.add(sparse)
        parameters.add(noArray)
    }

    static func decode(_ row: inout RowReader) throws -> Mirror {
        try Mirror(
            value: row.read(), null: row.read(), values: row.read(), sparse: row.read(), noArray: row.read())
    }
}

/// Sixteen bytes, as another module may have them.
private struct Identifier: PostgresValue, Equatable {
    var bytes: (UInt64, UInt64)

    static var postgresType: PostgresType { .uuid }

    init(bytes: (UInt64, UInt64)) {
        self.bytes = bytes
    }

    init(postgres bytes: UnsafeRawBufferPointer) throws {
        self.bytes = (
            try UInt64(bigEndian: UnsafeRawBufferPointer(rebasing: bytes.prefix(8))),
            try UInt64(bigEndian: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(8)))
        )
    }

    func encode(into bytes: inout [UInt8]) {
        bytes.append(bigEndian: self.bytes.0)
        bytes.append(bigEndian: self.bytes.1)
    }

    static func == (left: Identifier, right: Identifier) -> Bool { left.bytes == right.bytes }
}

private func expectUnexpected(_ work: () async throws -> some Any) async {
    do {
        _ = try await work()
        Issue.record("it should have failed")
    } catch PostgresError.unexpected {
    } catch {
        Issue.record(error)
    }
}
