/// Reads the chunks of a PNG (ISO 15948).
enum PNGFile {
    static let mark: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// What the picture is made of, and how its colours are meant.
    private static let kept: Set<String> = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND", "gAMA", "sRGB", "cHRM"]

    static func read(_ bytes: UnsafeRawBufferPointer) throws(BadPicture) -> PictureParts {
        var clean = mark
        clean.reserveCapacity(bytes.count)
        var place = mark.count
        var size: (width: Int, height: Int)?
        var hasData = false
        while true {
            let length = try bytes.number(place, 4)
            // Its length, its name, and behind it the sum.
            let chunk = try bytes.part(place, 12 + length)
            let name = String(decoding: chunk[4..<8], as: UTF8.self)
            guard (size == nil) == (name == "IHDR") else { throw .broken }
            if name == "IHDR" {
                size = (try chunk.number(8, 4), try chunk.number(12, 4))
                // Too large is said before the rest is looked at.
                _ = try PictureParts(.png, size!.width, size!.height, clean: [])
            }
            hasData = hasData || name == "IDAT"
            if kept.contains(name) {
                clean += chunk
            } else if chunk[4] & 0x20 == 0 {
                // By its capital it is not to be left out, but nobody knows it.
                throw .broken
            }
            place += chunk.count
            if name == "IEND" {
                guard length == 0 else { throw .broken }
                break
            }
        }
        guard let size, hasData, place == bytes.count else { throw .broken }
        return try PictureParts(.png, size.width, size.height, clean: clean)
    }
}
