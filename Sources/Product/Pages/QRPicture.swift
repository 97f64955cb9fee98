import CQREncode

/// A text as a QR code.
enum QRPicture {
    /// The code as SVG, with the quiet margin that readers need; nil when the text is too long for a code.
    static func svg(_ text: String) -> [UInt8]? {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        let side = width + 2 * margin
        let dots = (0..<width).map { row in runs(code.pointee.data + row * width, width, atRow: row) }.joined()
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path d="\(dots)"/></svg>
            """
        return Array(svg.utf8)
    }

    private static let margin = 4

    /// One rectangle for each run of dark dots.
    private static func runs(_ dots: UnsafePointer<UInt8>, _ width: Int, atRow row: Int) -> String {
        var path = ""
        var column = 0
        while column < width {
            let start = column
            while column < width, dots[column] & 1 == 1 { column += 1 }
            let length = column - start
            if length > 0 { path += "M\(start + margin) \(row + margin)h\(length)v1h-\(length)z" }
            column += 1
        }
        return path
    }
}
