/// How bright the pixels of a picture are, as readers of codes want them.
public struct Brightness: Sendable {
    /// The size of it, which is smaller than the picture's where that is large.
    public let width, height: Int
    /// One byte for each pixel, row by row.
    public let bytes: [UInt8]

    /// Decodes a picture, so that neither side has more than `most` pixels.
    public init(_ bytes: UnsafeRawBufferPointer, upTo most: Int) throws(BadPicture) {
        let parts = try PictureParts(bytes)
        let longer = max(parts.width, parts.height, most)
        let pixels = try Pixels(parts, max(1, parts.width * most / longer), max(1, parts.height * most / longer))
        (width, height) = (pixels.width, pixels.height)
        self.bytes = stride(from: 0, to: pixels.bytes.count, by: 3).map { place in
            let (red, green, blue) = (pixels.bytes[place], pixels.bytes[place + 1], pixels.bytes[place + 2])
            return UInt8((Int(red) * 299 + Int(green) * 587 + Int(blue) * 114) / 1000)
        }
    }
}
