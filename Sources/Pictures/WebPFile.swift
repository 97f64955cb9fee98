/// Reads the chunks of a WebP (RFC 9649).
enum WebPFile {
    static let mark: [UInt8] = Array("RIFF".utf8)

    static func read(_ bytes: UnsafeRawBufferPointer) throws(BadPicture) -> PictureParts {
        guard try bytes.part(8, 4).elementsEqual("WEBP".utf8) else { throw .unknown }
        guard try bytes.reversedNumber(4, 4) == bytes.count - 8 else { throw .broken }
        var place = 12
        var canvas: (width: Int, height: Int)?
        var picture: (width: Int, height: Int)?
        var (alpha, data): ([UInt8], [UInt8]) = ([], [])
        while place < bytes.count {
            let length = try bytes.reversedNumber(place + 4, 4)
            let chunk = try bytes.part(place, 8 + length + length % 2)
            let content = try chunk.part(8, length)
            switch String(decoding: chunk[..<4], as: UTF8.self) {
            case "VP8X" where place == 12:
                canvas = (try content.reversedNumber(4, 3) + 1, try content.reversedNumber(7, 3) + 1)
            case "ALPH" where canvas != nil && alpha.isEmpty && picture == nil: alpha = Array(chunk)
            case "VP8 " where picture == nil:
                picture = try lossy(content)
                data = Array(chunk)
            case "VP8L" where picture == nil && alpha.isEmpty:
                picture = try lossless(content)
                data = Array(chunk)
            case "VP8X", "ALPH", "VP8 ", "VP8L", "ANIM", "ANMF": throw .broken
            default: break
            }
            if let size = picture ?? canvas { _ = try PictureParts(.webp, size.width, size.height, clean: []) }
            place += chunk.count
        }
        guard let picture, canvas.map({ $0 == picture }) ?? true else { throw .broken }
        return try PictureParts(.webp, picture.width, picture.height, clean: file(alpha, data, picture))
    }

    /// A frame's head: three bytes, a mark, and two numbers of fourteen bits.
    private static func lossy(_ content: UnsafeRawBufferPointer) throws(BadPicture) -> (width: Int, height: Int) {
        guard try content.number(3, 3) == 0x9d012a else { throw .broken }
        return (try content.reversedNumber(6, 2) & 0x3fff, try content.reversedNumber(8, 2) & 0x3fff)
    }

    private static func lossless(_ content: UnsafeRawBufferPointer) throws(BadPicture) -> (width: Int, height: Int) {
        guard try content.number(0, 1) == 0x2f else { throw .broken }
        let bits = try content.reversedNumber(1, 4)
        return ((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)
    }

    private static func file(_ alpha: [UInt8], _ data: [UInt8], _ size: (width: Int, height: Int)) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        var chunks = alpha + data
        if !alpha.isEmpty {
            // Only what has an alpha plane of its own needs the longer head, which says so.
            let head = [0x10, 0, 0, 0] + number(size.width - 1, 3) + number(size.height - 1, 3)
            chunks = Array("VP8X".utf8) + number(10, 4) + head + chunks
        }
        return mark + number(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }
}
