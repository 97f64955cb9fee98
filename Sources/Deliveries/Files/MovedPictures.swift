import Domain
import Pictures
import Postgres

/// Moves what hangs on steps from the database to a store of pictures, and removes there what is gone here. Both can be
/// repeated: nothing is forgotten here before it is there.
package struct MovedPictures: Sendable {
    private static let most: Int32 = 16
    private let store: any PictureStore

    package init(to store: any PictureStore) { self.store = store }

    /// Moves some; says whether there are more.
    package func move(from database: Database) async throws -> Bool {
        let leaving = try await database.run(TakeLeavingFiles(most: Self.most))
        for file in leaving {
            try await move(file, isSmall: false, file.bytes, type: file.type, database)
            if let count = file.smallBytes {
                try await move(file, isSmall: true, count, type: PictureFormat.jpeg.rawValue, database)
            }
            try await database.run(NoteArrival(file: file.id))
        }
        return leaving.count == Int(Self.most)
    }

    private func move(
        _ file: LeavingFile, isSmall: Bool, _ count: Int32, type: String, _ database: Database
    ) async throws {
        var bytes: [UInt8] = []
        for number in 0..<TakenPicture.pieces(of: Int(count)) {
            let place = PiecePlace(file: file.id, isSmall: isSmall, number: number)
            // Another node has moved it, or it was dropped.
            guard let piece = try await database.run(FindPiece(place: place)).first else { return }
            bytes += piece
        }
        try await store.put(KeptBytes.name(of: file.id, isSmall: isSmall), bytes, type: type)
    }

    /// Removes some that are gone; says whether there are more.
    package func remove(for database: Database) async throws -> Bool {
        let gone = try await database.run(FindRemovals(most: Self.most))
        for file in gone {
            for isSmall in [false, true] { try await store.remove(KeptBytes.name(of: file, isSmall: isSmall)) }
            try await database.run(ForgetRemoval(file: file))
        }
        return gone.count == Int(Self.most)
    }
}

/// A picture on its way to the store.
struct LeavingFile: Sendable {
    let id: ID
    let type: String
    let bytes: Int32
    let smallBytes: Int32?
}

/// Takes pictures that are to be moved.
struct TakeLeavingFiles: Statement {
    static let sql = "SELECT id, type, bytes, small_bytes FROM leaving_files($1)"
    let most: Int32

    func bind(into parameters: inout Parameters) { parameters.add(most) }

    static func decode(_ row: inout RowReader) throws -> LeavingFile {
        LeavingFile(id: try row.read(), type: try row.read(), bytes: try row.read(), smallBytes: try row.read())
    }
}

/// Forgets the bytes of a picture that is in the store.
struct NoteArrival: Statement {
    static let sql = "SELECT file_arrived($1)"
    let file: ID

    func bind(into parameters: inout Parameters) { parameters.add(file) }
}

/// Finds pictures that are gone here and may still be in the store.
struct FindRemovals: Statement {
    static let sql = "SELECT file_id FROM file_removals WHERE due_at <= now() ORDER BY due_at LIMIT $1"
    static let isReadOnly = true
    let most: Int32

    func bind(into parameters: inout Parameters) { parameters.add(most) }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

/// Notes that a picture is gone from the store, too.
struct ForgetRemoval: Statement {
    static let sql = "DELETE FROM file_removals WHERE file_id = $1"
    let file: ID

    func bind(into parameters: inout Parameters) { parameters.add(file) }
}
