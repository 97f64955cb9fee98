import Domain
import Pictures
import Postgres

/// Keeps a picture, whose pieces follow in the same transaction.
struct KeepFile: Statement {
    static let sql = """
        INSERT INTO files (id, account_id, type, sha256, width, height, bytes, small_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """
    let file: KeptFile

    func bind(into parameters: inout Parameters) {
        parameters.add(file.id)
        parameters.add(file.account)
        parameters.add(file.format.rawValue)
        parameters.add(Bytes(file.sha256))
        parameters.add(Int32(file.width))
        parameters.add(Int32(file.height))
        parameters.add(Int32(file.bytes))
        parameters.add(file.smallBytes.map { Int32($0) })
    }
}

/// Finds a picture, and whether the reader sees what it hangs on where that is no delivery.
struct FindFile: Statement {
    static let sql = """
        SELECT id, account_id, type, sha256, width, height, bytes, small_bytes, delivery_id,
            CASE WHEN coalesce(conversation_id, profile_id) IS NOT NULL THEN sees_picture($2, conversation_id, profile_id) END
        FROM files WHERE id = $1
        """
    static let isReadOnly = true
    let id, reader: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(reader)
    }

    static func decode(_ row: inout RowReader) throws -> KeptFile { try KeptFile(&row) }
}

extension KeptFile {
    fileprivate init(_ row: inout RowReader) throws {
        (id, account) = (try row.read(), try row.read())
        let type: String = try row.read()
        guard let format = PictureFormat(rawValue: type) else { throw PostgresError.unexpected("a picture of \(type)") }
        self.format = format
        sha256 = (try row.read() as Bytes).bytes
        let (width, height, bytes): (Int32, Int32, Int32) = (try row.read(), try row.read(), try row.read())
        (self.width, self.height, self.bytes) = (Int(width), Int(height), Int(bytes))
        let small: Int32? = try row.read()
        smallBytes = small.map(Int.init)
        delivery = try row.read()
        isSeenElsewhere = try row.read()
    }
}

/// Which piece of which file.
struct PiecePlace: Sendable {
    let file: ID
    let isSmall: Bool
    let number: Int

    func bind(into parameters: inout Parameters) {
        parameters.add(file)
        parameters.add(isSmall)
        parameters.add(Int16(number))
    }
}

/// Keeps a piece.
struct KeepPiece: Statement {
    static let sql = "INSERT INTO file_pieces (file_id, is_small, number, bytes) VALUES ($1, $2, $3, $4)"
    let place: PiecePlace
    let bytes: [UInt8]

    func bind(into parameters: inout Parameters) {
        place.bind(into: &parameters)
        parameters.add(Bytes(bytes))
    }
}

/// Finds a piece.
struct FindPiece: Statement {
    static let sql = "SELECT bytes FROM file_pieces WHERE file_id = $1 AND is_small = $2 AND number = $3"
    static let isReadOnly = true
    let place: PiecePlace

    func bind(into parameters: inout Parameters) { place.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> [UInt8] { (try row.read() as Bytes).bytes }
}

/// Makes partitions for pictures to come, and drops those of too many days.
package struct RenewFilePartitions: Statement {
    package static let sql = "SELECT file_partitions($1)"
    let days: Int32

    package init(days: Int32) { self.days = days }

    package func bind(into parameters: inout Parameters) { parameters.add(days) }
}

/// Removes pictures that have hung on nothing for an hour, some at a time; gives how many.
package struct DropLooseFiles: Statement {
    package static let sql = "SELECT drop_loose_files()"

    package init() {}

    package static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
