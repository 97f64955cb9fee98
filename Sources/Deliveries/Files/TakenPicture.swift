import API
import Crypto
import Domain
import EventLoop
import HTTP
import Pictures

/// A picture that somebody has sent, checked and free of what is not the picture.
struct TakenPicture: Sendable {
    let format: PictureFormat
    let width, height: Int
    let sha256: [UInt8]
    let whole: MemoryFile
    let small: MemoryFile?

    /// How many bytes of a file are held at a time.
    static let pieceBytes = 64 * 1024

    /// In how many pieces so many bytes go.
    static func pieces(of bytes: Int) -> Int { (bytes + pieceBytes - 1) / pieceBytes }
}

/// Takes pictures: a few at a time, so that nobody fills the memory, and one after the other on a thread of low priority.
package final class PictureIntake: Sendable {
    /// The largest file that is taken.
    package static let mostBytes = 5 << 20
    /// The types of files that are taken.
    package static let types = PictureFormat.allCases.map(\.rawValue)
    private static let most = 32

    private let underWay: UnderWay

    /// Of so many pictures that have come, each waits for the thread; of an account so many are under way.
    package init(_ name: String, waiting: Int, mostOfOne: Int) throws {
        underWay = try UnderWay(name, waiting: waiting, most: Self.most, mostOfOne: mostOfOne)
    }

    /// Takes the picture that comes with a request, and makes something of its bytes.
    package func take<Answer: Sendable>(
        _ call: Call, _ read: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Answer
    ) async throws -> Answer {
        let type = call.request.header("content-type") ?? ""
        guard PictureFormat(rawValue: type.lowercased()) != nil, call.request.pieces != nil else {
            throw Problem(.unsupportedMediaType, "unsupported_media_type", wording: "no_type_of_pictures")
        }
        return try await underWay.run(for: call.caller.account) {
            let sent = try MemoryFile()
            while let piece = try await call.nextPiece() { try sent.append(piece) }
            return sent
        } _: { sent in
            do {
                return try sent.withBytes(read)
            } catch is BadPicture {
                throw Problem.badPicture
            }
        }
    }

    /// Ends the thread. It waits for it, so it is not done on a loop.
    package func stop() { underWay.stop() }
}

extension TakenPicture {
    /// Checks what was sent.
    init(_ bytes: UnsafeRawBufferPointer) throws {
        let picture = try Picture(bytes)
        whole = try MemoryFile()
        try whole.append(picture.parts.clean)
        small = try picture.small.map { bytes in
            let small = try MemoryFile()
            try small.append(bytes)
            return small
        }
        (format, width, height) = (picture.parts.format, picture.parts.width, picture.parts.height)
        sha256 = SHA256.hash(picture.parts.clean)
    }
}

extension Problem {
    package static let badPicture = Problem(.unprocessable, "bad_image")
}
