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
    static let mostBytes = 5 << 20
    private static let most = 32
    private static let mostOfOne = 4

    private let pool: BlockingPool
    private let underWay = Locked<[ID: Int]>([:])

    package init() throws {
        pool = try BlockingPool(name: "pictures", threads: 1, waiting: Self.most, priority: .background)
    }

    /// Takes the picture that comes with a request.
    func take(_ pieces: BodyReader, of account: ID) async throws -> TakenPicture {
        try begin(account)
        defer { end(account) }
        let sent = try MemoryFile()
        while let piece = try await pieces.next() { try sent.append(piece) }
        return try await pool.run { try Self.check(sent) }
    }

    private func begin(_ account: ID) throws {
        try underWay.withLock { underWay in
            guard underWay.values.reduce(0, +) < Self.most else { throw Problem.unavailable() }
            guard underWay[account, default: 0] < Self.mostOfOne else { throw Problem.rateLimited() }
            underWay[account, default: 0] += 1
        }
    }

    private func end(_ account: ID) {
        underWay.withLock { underWay in
            let left = underWay[account, default: 1] - 1
            underWay[account] = left == 0 ? nil : left
        }
    }

    private static func check(_ sent: MemoryFile) throws -> TakenPicture {
        do {
            let picture = try sent.withBytes { try Picture($0) }
            let whole = try MemoryFile()
            try whole.append(picture.parts.clean)
            let small = try picture.small.map { bytes in
                let small = try MemoryFile()
                try small.append(bytes)
                return small
            }
            return TakenPicture(
                format: picture.parts.format, width: picture.parts.width, height: picture.parts.height,
                sha256: SHA256.hash(picture.parts.clean), whole: whole, small: small)
        } catch is BadPicture {
            throw Problem.badPicture
        }
    }

    /// Ends the thread. It waits for it, so it is not done on a loop.
    package func stop() { pool.stop() }
}

extension Problem {
    static let badPicture = Problem(.unprocessable, "bad_image")
}
