import API
import Crypto
import Domain
import EventLoop
import HTTP
import Pictures
import Postgres

/// Pictures: they are sent first, and then hung on a step, a message or a profile.
package struct FileRoom: Room {
    private let intake: PictureIntake
    private let database: Database
    private let store: (any PictureStore)?
    private let rates: Rates

    package init(_ intake: PictureIntake, _ database: Database, _ store: (any PictureStore)?, _ rates: Rates) {
        (self.intake, self.database, self.store, self.rates) = (intake, database, store, rates)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/files", for: .signedIn,
                """
                Takes a picture of 5 MiB and 40 megapixels at most, to be hung on a step, a message or a profile within an \
                hour. What it is decides its content; place, camera and comments are removed
                """,
                room: Self.name, answers: [.created(KeptFile.shape)], refuses: [.badPicture], deadline: .seconds(180),
                keepsItsAnswer: true,
                throttledBy: {
                    [Throttle.Bucket("picture", $0.caller.account.description, burst: 60, step: .seconds(10))]
                },
                stillSeen: isKept, handler: take
            ).streaming(upTo: PictureIntake.mostBytes, PictureIntake.types),
            Endpoint(
                .get, "/v1/files/{id}", for: .signedIn, "A picture, for whoever may see what it hangs on",
                room: Self.name,
                query: [
                    .init(
                        name: "width", shape: .integer(Self.widths),
                        what: "For a smaller picture; one that is no wider comes as it is.")
                ],
                answers: [.text("image/*", "The picture.")], handler: give),
        ]
    }

    private static let name = "Files"
    private static let widths = Picture.smallWidth...Picture.smallWidth

    private func take(_ call: Call) async throws -> Response {
        let picture = try await intake.take(call) { try TakenPicture($0) }
        try await rates.take(.files, picture.whole.count / 1024 + 1, for: call.caller)
        let file = KeptFile(id: .new(), account: call.caller.account, picture)
        return try await call.keepingAnswer { runner in
            try await runner.run(KeepFile(file: file))
            for (bytes, isSmall) in [(picture.whole, false), (picture.small, true)] {
                guard let bytes else { continue }
                for number in 0..<TakenPicture.pieces(of: bytes.count) {
                    let piece = try bytes.piece(from: number * TakenPicture.pieceBytes, upTo: TakenPicture.pieceBytes)
                    let place = PiecePlace(file: file.id, isSmall: isSmall, number: number)
                    try await runner.run(KeepPiece(place: place, bytes: piece))
                }
            }
            return file.response
        }
    }

    /// What hangs on nothing is gone after an hour.
    private func isKept(_ call: Call, _ told: JSON) async throws -> Bool {
        guard let id = told.toldID else { return true }
        return try await !call.run(FindFile(id: id, reader: call.caller.account)).isEmpty
    }

    private func give(_ call: Call) async throws -> Response {
        let file = try await visible(call)
        let width = try call.request.query("width", in: Self.widths)
        let isSmall = width != nil && file.smallBytes != nil
        let count = isSmall ? file.smallBytes ?? 0 : file.bytes
        let extent = isSmall ? "jpg" : file.format.suffix
        let headers = [
            Response.Header("Content-Disposition", #"inline; filename="\#(file.id).\#(extent)""#),
            Response.Header("Cache-Control", "private, max-age=31536000, immutable"),
        ]
        let type = isSmall ? PictureFormat.jpeg : file.format
        let bytes = KeptBytes(database: database, store: store, file: file.id, isSmall: isSmall, count: count)
        let first = try await bytes.piece(from: 0)
        return Response(
            .ok, headers: headers,
            body: .stream(type: type.rawValue) { writer in
                let hash = RunningSHA256()
                var (piece, sent) = (first, 0)
                while true {
                    hash.add(piece)
                    sent += piece.count
                    guard sent < count else { break }
                    try await writer.write(piece)
                    // What is dropped meanwhile breaks off.
                    piece = try await bytes.piece(from: sent)
                }
                // So does, before its end, what is not what was sent: others may write to a store of pictures.
                guard isSmall || hash.finish() == file.sha256 else { throw Problem.unavailable() }
                try await writer.write(piece)
            })
    }

    private func visible(_ call: Call) async throws -> KeptFile {
        let account = call.caller.account
        guard let file = try await call.run(FindFile(id: try call.request.parameter("id"), reader: account)).first
        else {
            throw Problem.notFound
        }
        guard let delivery = file.delivery else {
            guard file.isSeenElsewhere ?? (file.account == account) else { throw Problem.notFound }
            return file
        }
        guard let found = try await call.run(FindDelivery(account: account, id: delivery)).first,
            found.isVisible(to: account),
            // Of the steps of others couriers read nothing.
            call.caller.kind == .store || file.account == account
        else { throw Problem.notFound }
        return file
    }
}

extension PictureFormat {
    /// What names of such files end with.
    var suffix: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .webp: "webp"
        }
    }
}

/// A picture as it is kept.
struct KeptFile: Sendable {
    let id, account: ID
    let format: PictureFormat
    let sha256: [UInt8]
    let width, height, bytes: Int
    /// How many bytes the smaller picture has; nil where there is none.
    let smallBytes: Int?
    var delivery: ID?
    /// Whether the reader sees the message or the profile on which it hangs; nil where it hangs on neither.
    var isSeenElsewhere: Bool?

    init(id: ID, account: ID, _ picture: TakenPicture) {
        (self.id, self.account, format, sha256) = (id, account, picture.format, picture.sha256)
        (width, height, bytes) = (picture.width, picture.height, picture.whole.count)
        smallBytes = picture.small?.count
    }

    static let shape = Shape.object(
        "File",
        [
            .init("id", .id), .init("sha256", .string(pattern: "^[0-9a-f]{64}$")),
            .init("width", .integer(1...PictureParts.mostPixels)),
            .init("height", .integer(1...PictureParts.mostPixels)),
            .init("bytes", .integer(1...PictureIntake.mostBytes)),
        ])

    var response: Response {
        var json = JSONWriter()
        json.object { json in
            json.field("id", id)
            json.field("sha256", hexadecimal(sha256))
            json.field("width", width)
            json.field("height", height)
            json.field("bytes", bytes)
        }
        return .json(json.bytes, status: .created, headers: [Response.Header("Location", "/v1/files/\(id)")])
    }
}
