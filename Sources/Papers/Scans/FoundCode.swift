import CBarcodes
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

    /// The codes in a picture.
    package static func all(in picture: Brightness) -> [FoundCode] {
        var codes: [FoundCode] = []
        withUnsafeMutablePointer(to: &codes) { codes in
            cbarcodes_read(
                picture.bytes, Int32(picture.width), Int32(picture.height), Int32(most),
                { to, format, text, count in
                    guard let to, let format, let text else { return }
                    let bytes = UnsafeRawBufferPointer(start: text, count: count)
                    let code = FoundCode(
                        format: FoundCode.names[String(cString: format)] ?? "unknown",
                        text: String(decoding: bytes, as: UTF8.self))
                    to.assumingMemoryBound(to: [FoundCode].self).pointee.append(code)
                }, codes)
        }
        return codes
    }

    /// What zxing-cpp calls them, and what `BarcodeDetector` does.
    private static let names = [
        "QRCode": "qr_code", "MicroQRCode": "micro_qr_code", "Aztec": "aztec", "DataMatrix": "data_matrix",
        "PDF417": "pdf417", "Code128": "code_128", "Code39": "code_39", "EAN-13": "ean_13", "EAN-8": "ean_8",
        "ITF": "itf",
    ]
}
