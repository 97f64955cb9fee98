import Testing

@testable import Pictures

/// Pictures that people send: what is taken of them, and what is refused.
@Suite struct PictureTests {
    @Test(arguments: PictureFormat.allCases)
    func `a picture is what its bytes are, and stays as it is`(format: PictureFormat) throws {
        let bytes = Drawn.bytes(format, 640, 480)
        let picture = try bytes.picture()
        #expect(picture.parts.format == format && picture.parts.width == 640 && picture.parts.height == 480)
        #expect(try picture.parts.clean.parts().clean == picture.parts.clean)
        let small = Drawn.look(at: try #require(picture.small))
        #expect(small.width == 320 && small.height == 240 && small.quarters == Drawn.quarters)
    }

    @Test(arguments: [(PictureFormat.jpeg, true, false), (.png, true, false), (.png, false, true), (.png, true, true)])
    func `what comes in passes or by a table of colours is made smaller, too`(
        format: PictureFormat, isInterlaced: Bool, hasTable: Bool
    ) throws {
        let bytes = Drawn.bytes(format, 641, 483, isInterlaced: isInterlaced, hasTable: hasTable)
        let small = Drawn.look(at: try #require(bytes.picture().small))
        #expect(small.width == 320 && small.height == 241 && small.quarters == Drawn.quarters)
    }

    @Test func `a narrow picture and a strip have no smaller one`() throws {
        #expect(try Drawn.bytes(.jpeg, 320, 900).picture().small == nil)
        #expect(try Drawn.bytes(.png, 400, 6500).picture().small == nil)
        #expect(Drawn.look(at: try #require(Drawn.bytes(.png, 400, 6400).picture().small)).height == 5120)
        #expect(Drawn.look(at: try #require(Drawn.bytes(.png, 900, 1).picture().small)).height == 1)
    }

    @Test func `what cannot be seen is white in the smaller picture`() throws {
        let small = try #require(Drawn.clear(400, 400).picture().small)
        #expect(Drawn.look(at: small).quarters == [0xffffff, 0xffffff, 0xffffff, 0xffffff])
    }

    @Test(arguments: PictureFormat.allCases)
    func `place, camera and comments are not kept`(format: PictureFormat) throws {
        let bytes = Drawn.bytes(format)
        let named = format.withSecrets(bytes)
        #expect(named.has("SECRET"))
        let clean = try named.picture().parts.clean
        #expect(!clean.has("SECRET"))
        #expect(try clean == bytes.parts().clean)
    }

    /// The quarters as somebody sees them who holds the camera as Exif says.
    @Test(arguments: [
        (1, [0, 1, 2, 3]), (2, [1, 0, 3, 2]), (3, [3, 2, 1, 0]), (4, [2, 3, 0, 1]), (5, [0, 2, 1, 3]),
        (6, [2, 0, 3, 1]), (7, [3, 1, 2, 0]), (8, [1, 3, 0, 2]),
    ])
    func `a picture is shown as the camera was held`(orientation: Int, order: [Int]) throws {
        let lying = Drawn.bytes(.jpeg, 960, 480)
        let bytes = lying[..<2] + ExifOrientation.segment(UInt8(orientation)) + lying[2...]
        let picture = try Array(bytes).picture()
        #expect((picture.parts.width > picture.parts.height) == (orientation <= 4))
        let small = Drawn.look(at: try #require(picture.small))
        #expect((small.width, small.height) == (320, orientation <= 4 ? 160 : 640))
        #expect(small.quarters == order.map { Drawn.quarters[$0] })
        #expect(try picture.parts.clean.parts().orientation == UInt8(orientation))
    }

    @Test func `the other order of bytes in Exif is read, too`() throws {
        let tiff: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        let segment = Array("Exif\0\0".utf8) + tiff
        #expect(segment.withUnsafeBytes { ExifOrientation.read($0) } == 6)
        for count in 0..<segment.count - 2 {
            #expect(segment[..<count].withUnsafeBytes { ExifOrientation.read($0) } == nil)
        }
    }

    @Test(arguments: PictureFormat.allCases)
    func `a picture that ends too early is refused, wherever that is`(format: PictureFormat) {
        let bytes = Drawn.bytes(format)
        for count in bytes.indices {
            #expect(throws: BadPicture.self) { try Array(bytes[..<count]).parts() }
        }
    }

    @Test(arguments: PictureFormat.allCases, ["PK\u{3}\u{4}", "%PDF-1.7", "<script>", "\0", "GIF89a"])
    func `another file behind a picture is refused`(format: PictureFormat, other: String) {
        #expect(throws: BadPicture.broken) { try (Drawn.bytes(format) + other.utf8).parts() }
    }

    @Test func `the further pictures of a phone are left out`() throws {
        let bytes = Drawn.bytes(.jpeg)
        #expect(try (bytes + Drawn.bytes(.jpeg, 8, 8)).parts() == bytes.parts())
    }

    @Test(arguments: ["", "GIF89a", "\u{ff}", "RIFF", "RIFF\0\0\0\0WAVE", "%PDF-1.7", "<svg/>", "PNG"])
    func `what is no picture is refused`(text: String) {
        #expect(throws: BadPicture.self) { try Array(text.utf8).parts() }
    }

    @Test func `whatever its bytes become, a picture is taken whole or refused`() throws {
        for format in PictureFormat.allCases {
            let bytes = Drawn.bytes(format, 24, 16)
            for place in bytes.indices {
                var other = bytes
                other[place] ^= 0x55
                guard let picture = try? other.picture() else { continue }
                #expect(try picture.parts.clean.parts() == picture.parts)
            }
        }
    }
}

extension PictureFormat {
    /// The same picture with words of others in it.
    fileprivate func withSecrets(_ bytes: [UInt8]) -> [UInt8] {
        let secret = Array("SECRET".utf8)
        var added: [UInt8] = []
        switch self {
        case .jpeg:
            for (kind, before) in [(0xe1, "Exif\0\0"), (0xfe, ""), (0xed, ""), (0xe2, ""), (0xe0, "")]
                as [(UInt8, String)]
            {
                let text = Array(before.utf8) + secret
                added += [0xff, kind] + [UInt8].big(text.count + 2, 2) + text
            }
            return Array(bytes[..<2]) + added + bytes[2...]
        case .png:
            for name in ["tEXt", "eXIf", "iTXt", "zTXt", "tIME"] {
                added += [UInt8].big(secret.count, 4) + Array(name.utf8) + secret + [0, 0, 0, 0]
            }
            // Behind the head, which has 25 bytes behind the mark.
            return Array(bytes[..<33]) + added + bytes[33...]
        case .webp:
            for name in ["EXIF", "XMP "] { added += [UInt8].chunk(name, secret) }
            return [UInt8].webP(bytes[12...] + added)
        }
    }
}
