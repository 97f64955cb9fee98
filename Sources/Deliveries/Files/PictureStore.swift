import Domain
import HTTP
import Postgres

/// Where pictures are kept outside the database, each under a name.
package protocol PictureStore: Sendable {
    /// Keeps it; once more does no harm.
    func put(_ name: String, _ bytes: [UInt8], type: String) async throws
    /// Some of its bytes; nil where it is not there.
    func piece(_ name: String, _ range: Range<Int>) async throws -> [UInt8]?
    /// Removes it, if it is there.
    func remove(_ name: String) async throws
}

/// The bytes of a picture, wherever they are.
struct KeptBytes: Sendable {
    let database: Database
    let store: (any PictureStore)?
    let file: ID
    let isSmall: Bool
    let count: Int

    /// What it is called in the store.
    static func name(of file: ID, isSmall: Bool) -> String { isSmall ? "\(file)-small" : "\(file)" }

    /// How much is asked of the store at a time, in whole pieces of the database: what is moved meanwhile is read on there.
    private static let most = 8 * TakenPicture.pieceBytes

    /// Some bytes from there on.
    func piece(from start: Int) async throws -> [UInt8] {
        let place = PiecePlace(file: file, isSmall: isSmall, number: start / TakenPicture.pieceBytes)
        if let piece = try await database.run(FindPiece(place: place)).first { return piece }
        guard let store else { throw Problem.notFound }
        let piece: [UInt8]?
        do {
            let range = start..<min(start + Self.most, count)
            piece = try await store.piece(Self.name(of: file, isSmall: isSmall), range)
        } catch {
            throw Problem.unavailable()
        }
        guard let piece, !piece.isEmpty else { throw Problem.notFound }
        return piece
    }
}
