/// Reads the chunks of a PNG (ISO 15948).
enum PNGFile {
    static let mark: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// What the picture is made of, and how its colours are meant: how long each may be. What is longer is something else.
    private static let kept = [
        "IHDR": 13, "PLTE": 768, "tRNS": 256, "IDAT": Int(Int32.max), "IEND": 0, "gAMA": 4, "sRGB": 1, "cHRM": 32,
    ]
    /// The kind of colours that are numbers in a palette.
    private static let hasPalette = 3

    static func read(_ bytes: UnsafeRawBufferPointer) throws(BadPicture) -> PictureParts {
        var clean = mark
        clean.reserveCapacity(bytes.count)
        var place = mark.count
        var size: (width: Int, height: Int)?
        var (hasData, colours) = (false, 0)
        while true {
            let length = try bytes.number(place, 4)
            // Its length, its name, and behind it the sum.
            let chunk = try bytes.part(place, 12 + length)
            let name = String(decoding: chunk[4..<8], as: UTF8.self)
            guard (size == nil) == (name == "IHDR") else { throw .broken }
            if name == "IHDR" {
                guard length == 13 else { throw .broken }
                size = (try chunk.number(8, 4), try chunk.number(12, 4))
                colours = Int(chunk[17])
                // Too large is said before the rest is looked at.
                _ = try PictureParts(.png, size!.width, size!.height, clean: [])
            }
            hasData = hasData || name == "IDAT"
            if let most = kept[name], length <= most {
                if isNeeded(name, length, colours: colours) { clean += chunk }
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

    /// Of pictures without a palette one colour may be clear, by a number of two bytes for each of what it is mixed of.
    private static func isNeeded(_ name: String, _ length: Int, colours: Int) -> Bool {
        switch name {
        case "PLTE": colours == hasPalette
        case "tRNS": colours == hasPalette || length == [0: 2, 2: 6][colours]
        default: true
        }
    }
}
