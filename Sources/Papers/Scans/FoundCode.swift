import CBarcodes
import HTTP
import Pictures

/// A code that was found in a picture.
package struct FoundCode: Equatable, Sendable {
    /// What kind of a code it is, as browsers call it.
    package let format: String
    package let text: String

    /// How many are looked for.
    static let most = 8
    /// Larger pictures are made smaller first: no code needs more, and each pixel takes its time.
    package static let widest = 2000
    /// How long a processor looks at one: some ten times what the worst takes that cameras give.
    private static let mostMilliseconds = 2000

    /// The codes in a picture.
    package static func all(in picture: Brightness) throws(Problem) -> [FoundCode] {
        var codes: [FoundCode] = []
        let isDone = withUnsafeMutablePointer(to: &codes) { codes in
            cbarcodes_read(
                picture.bytes, Int32(picture.width), Int32(picture.height), Int32(most), Int32(mostMilliseconds),
                { to, format, formatCount, text, textCount in
                    func read(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
                        String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
                    }
                    let code = FoundCode(
                        format: FoundCode.names[read(format, formatCount)] ?? "unknown", text: read(text, textCount))
                    to?.assumingMemoryBound(to: [FoundCode].self).pointee.append(code)
                }, codes)
        }
        guard isDone else { throw .unavailable() }
        return codes
    }

    /// What zxing-cpp calls them, and what `BarcodeDetector` does.
    private static let names = [
        "QRCode": "qr_code", "MicroQRCode": "micro_qr_code", "Aztec": "aztec", "DataMatrix": "data_matrix",
        "PDF417": "pdf417", "Code128": "code_128", "Code39": "code_39", "EAN-13": "ean_13", "EAN-8": "ean_8",
        "ITF": "itf",
    ]
}
