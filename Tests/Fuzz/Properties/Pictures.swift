import Pictures

extension Property {
    /// A picture, which is refused or bounded; and what is kept of it is the same when that is read again.
    static let pictures = Property("pictures") { bytes in
        guard let parts = try? bytes.withUnsafeBytes({ try PictureParts($0) }) else { return }
        try require(parts.width > 0 && parts.height > 0, "no pixels")
        try require(parts.width * parts.height <= PictureParts.mostPixels, "too many pixels")
        try require(parts.clean.count <= bytes.count + 36, "more than was sent")
        let again = try? parts.clean.withUnsafeBytes { try PictureParts($0) }
        try require(again == parts, "another picture when what is kept is read")
    }
}
