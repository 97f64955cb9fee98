/// What the bytes of a picture say of it before anything is decoded, and which of them are the picture.
///
/// The readers of the formats look at lengths and marks alone. So what is broken or hostile in its structure, or too large,
/// costs next to nothing; and what is not the picture itself (place, camera, comments, other files) is never kept.
public struct PictureParts: Sendable, Equatable {
    /// What kind of a file it is.
    public let format: PictureFormat
    /// How wide it is shown.
    public let width: Int
    /// How high it is shown.
    public let height: Int
    /// The picture alone, as a file.
    public let clean: [UInt8]
    /// How its rows and columns are turned where it is shown, by the numbers of Exif.
    public let orientation: UInt8

    /// More pixels are refused.
    public static let mostPixels = 40_000_000

    init(
        _ format: PictureFormat, _ width: Int, _ height: Int, orientation: UInt8 = 1, clean: [UInt8]
    ) throws(BadPicture) {
        guard width > 0, height > 0 else { throw .broken }
        guard width <= Self.mostPixels / height else { throw .tooLarge }
        self.format = format
        let liesOnItsSide = orientation > 4
        (self.width, self.height) = liesOnItsSide ? (height, width) : (width, height)
        self.orientation = orientation
        self.clean = clean
    }

    /// Reads the parts of a picture. The format is what the bytes are, whatever anybody says.
    public init(_ bytes: UnsafeRawBufferPointer) throws(BadPicture) {
        if bytes.starts(with: JPEGFile.mark) {
            self = try JPEGFile.read(bytes)
        } else if bytes.starts(with: PNGFile.mark) {
            self = try PNGFile.read(bytes)
        } else if bytes.starts(with: WebPFile.mark) {
            self = try WebPFile.read(bytes)
        } else {
            throw .unknown
        }
    }
}

/// The kinds of pictures that are taken.
public enum PictureFormat: String, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"
}

/// Why a picture is refused.
public enum BadPicture: Error, Equatable {
    /// It is no picture of a kind that is taken.
    case unknown
    /// It has too many pixels.
    case tooLarge
    /// It ends too early, contradicts itself, moves, or has something behind its end.
    case broken
}

extension UnsafeRawBufferPointer {
    /// The bytes in that range, if they are there.
    func part(_ start: Int, _ count: Int) throws(BadPicture) -> UnsafeRawBufferPointer {
        guard start >= 0, count >= 0, count <= self.count - start else { throw .broken }
        return UnsafeRawBufferPointer(rebasing: self[start..<start + count])
    }

    /// A number of some bytes, with the first as the highest.
    func number(_ start: Int, _ count: Int) throws(BadPicture) -> Int {
        try part(start, count).reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of some bytes, with the first as the lowest.
    func reversedNumber(_ start: Int, _ count: Int) throws(BadPicture) -> Int {
        try part(start, count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
