import CGD

@testable import Pictures

/// Pictures for the tests, drawn by libgd: a red, a green, a blue and a white quarter.
enum Drawn {
    static let quarters: [Int32] = [0xff0000, 0x00ff00, 0x0000ff, 0xffffff]

    /// In passes if it `isInterlaced`; of few colours that stand in a table if it `hasTable`.
    static func bytes(
        _ format: PictureFormat, _ width: Int32 = 64, _ height: Int32 = 48, isInterlaced: Bool = false,
        hasTable: Bool = false
    ) -> [UInt8] {
        let picture = gdImageCreateTrueColor(width, height)!
        defer { gdImageDestroy(picture) }
        gdImageInterlace(picture, isInterlaced ? 1 : 0)
        for y in 0..<height {
            for x in 0..<width {
                gdImageSetPixel(picture, x, y, quarters[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)])
            }
        }
        if hasTable { gdImageTrueColorToPalette(picture, 0, 4) }
        return encoded(picture, format)
    }

    /// A picture that cannot be seen at all.
    static func clear(_ width: Int32, _ height: Int32) -> [UInt8] {
        let picture = gdImageCreateTrueColor(width, height)!
        defer { gdImageDestroy(picture) }
        gdImageAlphaBlending(picture, 0)
        gdImageSaveAlpha(picture, 1)
        gdImageFilledRectangle(picture, 0, 0, width - 1, height - 1, 127 << 24)
        return encoded(picture, .png)
    }

    private static func encoded(_ picture: gdImagePtr, _ format: PictureFormat) -> [UInt8] {
        var count: Int32 = 0
        let bytes =
            switch format {
            case .jpeg: gdImageJpegPtr(picture, &count, 95)!
            case .png: gdImagePngPtr(picture, &count)!
            case .webp: gdImageWebpPtrEx(picture, &count, 90)!
            }
        defer { gdFree(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    /// The colours in the middle of the quarters of a JPEG, each as the drawn one that it is nearest to, with its size.
    static func look(at jpeg: [UInt8]) -> (width: Int, height: Int, quarters: [Int32]) {
        var jpeg = jpeg
        let picture = gdImageCreateFromJpegPtr(Int32(jpeg.count), &jpeg)!
        defer { gdImageDestroy(picture) }
        let (width, height) = (picture.pointee.sx, picture.pointee.sy)
        let seen = [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            let pixel = gdImageGetTrueColorPixel(picture, width * Int32(x) / 4, height * Int32(y) / 4)
            return quarters.min { distance($0, pixel) < distance($1, pixel) }!
        }
        return (Int(width), Int(height), seen)
    }

    private static func distance(_ one: Int32, _ other: Int32) -> Int32 {
        [16, 8, 0].map { abs((one >> $0 & 255) - (other >> $0 & 255)) }.reduce(0, +)
    }
}

extension [UInt8] {
    func parts() throws -> PictureParts { try withUnsafeBytes { try PictureParts($0) } }

    func picture() throws -> Picture { try withUnsafeBytes { try Picture($0) } }

    /// These chunks of a WebP as a file.
    static func webP(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + big(chunks.count + 4, 4).reversed() + Array("WEBP".utf8) + chunks
    }

    /// A chunk of a WebP.
    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + big(content.count, 4).reversed() + content
    }

    /// Whether that text stands somewhere in it.
    func has(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: wanted) }
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(value >> (8 * $0) & 255) }
    }
}
