import CPictures
import Glibc

/// A picture that was decoded once: checked, free of what is not the picture, with a smaller one beside it.
public struct Picture: Sendable {
    /// What it is, and its bytes.
    public let parts: PictureParts
    /// A JPEG of the width of ``smallWidth``; nil where the picture is no wider itself, or a strip that would be as high as ever.
    public let small: [UInt8]?

    /// How wide the smaller picture is.
    public static let smallWidth = 320
    private static let smallHeight = 16 * smallWidth
    private static let quality: Int32 = 80

    /// Checks a picture to its last pixel. It blocks for a few hundredths of a second for each ten million of them.
    public init(_ bytes: UnsafeRawBufferPointer) throws(BadPicture) {
        parts = try PictureParts(bytes)
        let height = max(1, parts.height * Self.smallWidth / parts.width)
        guard parts.width > Self.smallWidth, height <= Self.smallHeight else {
            // All of it is decoded, and nothing is kept.
            _ = try Pixels(parts, min(8, parts.width), min(8, parts.height))
            small = nil
            return
        }
        small = try Pixels(parts, Self.smallWidth, height).jpeg(Self.quality)
    }
}

/// The pixels of a picture that was made smaller, three bytes each, as they are shown.
struct Pixels {
    let width, height: Int
    let bytes: [UInt8]

    init(_ parts: PictureParts, _ width: Int, _ height: Int) throws(BadPicture) {
        let (across, down) = parts.orientation > 4 ? (height, width) : (width, height)
        let read =
            switch parts.format {
            case .jpeg: cpictures_read_jpeg
            case .png: cpictures_read_png
            case .webp: cpictures_read_webp
            }
        var isWhole = false
        let pixels = [UInt8](unsafeUninitializedCapacity: 3 * across * down) { pixels, count in
            isWhole = read(parts.clean, parts.clean.count, Int32(across), Int32(down), pixels.baseAddress)
            count = isWhole ? 3 * across * down : 0
        }
        guard isWhole else { throw .broken }
        (self.width, self.height) = (width, height)
        bytes = parts.orientation == 1 ? pixels : Self.turned(pixels, across, down, parts.orientation)
    }

    /// The pixels as they are shown.
    private static func turned(_ pixels: [UInt8], _ across: Int, _ down: Int, _ orientation: UInt8) -> [UInt8] {
        let (width, height) = orientation > 4 ? (down, across) : (across, down)
        var shown: [UInt8] = []
        shown.reserveCapacity(pixels.count)
        for y in 0..<height {
            for x in 0..<width {
                let (fromX, fromY) = source(x, y, of: (across, down), orientation)
                let place = 3 * (fromY * across + fromX)
                shown += pixels[place..<place + 3]
            }
        }
        return shown
    }

    /// Where a pixel that is shown stands in the file.
    private static func source(
        _ x: Int, _ y: Int, of size: (width: Int, height: Int), _ orientation: UInt8
    ) -> (Int, Int) {
        let (right, bottom) = (size.width - 1, size.height - 1)
        return switch orientation {
        case 2: (right - x, y)
        case 3: (right - x, bottom - y)
        case 4: (x, bottom - y)
        case 5: (y, x)
        case 6: (y, bottom - x)
        case 7: (right - y, bottom - x)
        case 8: (right - y, x)
        default: (x, y)
        }
    }

    func jpeg(_ quality: Int32) throws(BadPicture) -> [UInt8] {
        var count: UInt = 0
        guard let written = cpictures_write_jpeg(bytes, Int32(width), Int32(height), quality, &count) else {
            throw .broken
        }
        defer { free(written) }
        return Array(UnsafeBufferPointer(start: written, count: Int(count)))
    }
}
