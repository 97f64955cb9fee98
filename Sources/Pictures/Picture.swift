import CGD

/// A picture that was decoded once: checked, free of what is not the picture, with a smaller one beside it.
public struct Picture: Sendable {
    /// What it is, and its bytes.
    public let parts: PictureParts
    /// A JPEG of the width of ``smallWidth``; nil where the picture is no wider itself.
    public let small: [UInt8]?

    /// How wide the smaller picture is.
    public static let smallWidth = 320
    private static let quality: Int32 = 80

    /// Checks a picture to its last pixel. It blocks for a few hundredths of a second for each ten million of them.
    public init(_ bytes: UnsafeRawBufferPointer) throws(BadPicture) {
        parts = try PictureParts(bytes)
        guard let decoded = Self.decode(parts) else { throw .broken }
        defer { gdImageDestroy(decoded) }
        small = parts.width > Self.smallWidth ? try Self.shrink(decoded, parts) : nil
    }

    private static func decode(_ parts: PictureParts) -> gdImagePtr? {
        parts.clean.withUnsafeBytes { bytes in
            let (start, count) = (bytes.baseAddress, Int32(bytes.count))
            return switch parts.format {
            case .jpeg: cgd_decode(cgd_jpeg, start, count)
            case .png: cgd_decode(gdImageCreateFromPngPtr, start, count)
            case .webp: cgd_decode(gdImageCreateFromWebpPtr, start, count)
            }
        }
    }

    private static func shrink(_ decoded: gdImagePtr, _ parts: PictureParts) throws(BadPicture) -> [UInt8] {
        let (width, height) = (smallWidth, max(1, parts.height * smallWidth / parts.width))
        let (across, down) = parts.orientation > 4 ? (height, width) : (width, height)
        guard let small = cgd_shrink(decoded, Int32(across), Int32(down)) else { throw .broken }
        defer { gdImageDestroy(small) }
        guard let shown = gdImageCreateTrueColor(Int32(width), Int32(height)) else { throw .broken }
        defer { gdImageDestroy(shown) }
        for y in 0..<height {
            for x in 0..<width {
                let (fromX, fromY) = source(x, y, of: (across, down), parts.orientation)
                gdImageSetPixel(shown, Int32(x), Int32(y), gdImageGetTrueColorPixel(small, Int32(fromX), Int32(fromY)))
            }
        }
        var count: Int32 = 0
        guard let bytes = gdImageJpegPtr(shown, &count, quality) else { throw .broken }
        defer { gdFree(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
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
}
