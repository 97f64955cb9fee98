import Testing

@testable import Pictures

/// Pictures that are made to cost much: their structure refuses them, before anything is decoded.
@Suite struct HostilePictureTests {
    /// A picture of that format whose head says that it is so large, and that is as it should be but for that.
    private static func claiming(_ width: Int, _ height: Int, _ format: PictureFormat) -> [UInt8] {
        var bytes = Drawn.bytes(format, 16, 16)
        switch format {
        case .jpeg:
            let frame = bytes.indices.first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xc0 }!
            bytes.replaceSubrange(frame + 5..<frame + 9, with: [UInt8].big(height, 2) + [UInt8].big(width, 2))
        case .png: bytes.replaceSubrange(16..<24, with: [UInt8].big(width, 4) + [UInt8].big(height, 4))
        case .webp:
            let size = [UInt8].big(width, 2).reversed() + [UInt8].big(height, 2).reversed()
            bytes.replaceSubrange(26..<30, with: size)
        }
        return bytes
    }

    @Test(arguments: PictureFormat.allCases, [(10_000, 10_000), (8_000, 5_001), (16_383, 16_383)])
    func `more than forty million pixels are refused by the head`(format: PictureFormat, size: (Int, Int)) {
        #expect(throws: BadPicture.tooLarge) { try Self.claiming(size.0, size.1, format).parts() }
    }

    @Test(arguments: PictureFormat.allCases)
    func `exactly forty million pixels pass the head`(format: PictureFormat) throws {
        let parts = try Self.claiming(8_000, 5_000, format).parts()
        #expect(parts.width == 8_000 && parts.height == 5_000)
    }

    @Test(arguments: [(Int(Int32.max), Int(Int32.max)), (1 << 32 - 1, 1 << 32 - 1), (1 << 32 - 1, 1)])
    func `numbers that overflow are only large`(size: (Int, Int)) {
        #expect(throws: BadPicture.tooLarge) { try Self.claiming(size.0, size.1, .png).parts() }
    }

    @Test(arguments: PictureFormat.allCases, [(0, 16), (16, 0), (0, 0)])
    func `a picture without pixels is refused`(format: PictureFormat, size: (Int, Int)) {
        #expect(throws: BadPicture.broken) { try Self.claiming(size.0, size.1, format).parts() }
    }

    @Test(arguments: PictureFormat.allCases)
    func `a head that says more than there is is refused when it is decoded`(format: PictureFormat) {
        #expect(throws: BadPicture.broken) { try Self.claiming(2_000, 2_000, format).picture() }
    }

    /// The file ends as it should, and only decoding finds out that pixels are missing.
    @Test(arguments: PictureFormat.allCases)
    func `pixels that are not there are missed`(format: PictureFormat) throws {
        let missing = 40
        let whole = Drawn.bytes(format, 400, 300)
        var bytes = whole
        switch format {
        // Behind what is left out stands the mark of the end.
        case .jpeg: bytes.removeSubrange(whole.count - 2 - missing..<whole.count - 2)
        case .png:
            let data = whole.indices.first { whole[$0...].starts(with: "IDAT".utf8) }!
            let length = whole.count - 16 - data - 4
            var chunk = Array(whole[data..<data + 4 + length - missing])
            chunk += [UInt8].big(Int(Self.sum(chunk)), 4)
            bytes = whole[..<(data - 4)] + [UInt8].big(length - missing, 4) + chunk + whole.suffix(12)
        case .webp:
            let content = Array(whole[20...].dropLast(missing + whole.count % 2))
            bytes = .webP(.chunk("VP8 ", content.count % 2 == 0 ? content : content.dropLast()))
        }
        _ = try bytes.parts()
        #expect(throws: BadPicture.broken) { try bytes.picture() }
    }

    /// The sum behind a chunk of a PNG.
    private static func sum(_ chunk: [UInt8]) -> UInt32 {
        ~chunk.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xedb8_8320 : 0) }
        }
    }

    @Test func `a scan more than a camera writes is one too many`() throws {
        let bytes = Drawn.bytes(.jpeg, 16, 16)
        let scan = bytes.indices.first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xda }!
        func repeated(_ times: Int) -> [UInt8] {
            bytes[..<scan] + (0..<times).flatMap { _ in bytes[scan..<bytes.count - 2] } + bytes.suffix(2)
        }
        _ = try repeated(32).parts()
        #expect(throws: BadPicture.broken) { try repeated(33).parts() }
    }

    /// Each scan goes over all of the picture, so few bytes would keep a thread busy for long.
    @Test(arguments: [(8_000, 5_000, 10), (4_000, 3_125, 32)])
    func `many scans of many pixels are refused by the head`(width: Int, height: Int, most: Int) throws {
        let bytes = Self.claiming(width, height, .jpeg)
        let scan = bytes.indices.first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xda }!
        func repeated(_ times: Int) -> [UInt8] {
            bytes[..<scan] + (0..<times).flatMap { _ in bytes[scan..<bytes.count - 2] } + bytes.suffix(2)
        }
        _ = try repeated(most).parts()
        #expect(throws: BadPicture.broken) { try repeated(most + 1).parts() }
    }

    @Test(arguments: [0xc3, 0xc5, 0xc9, 0xcb, 0xcf, 0xdc, 0xf0, 0x01])
    func `a kind of JPEG that no camera writes is refused`(kind: Int) {
        var bytes = Drawn.bytes(.jpeg, 16, 16)
        let frame = bytes.indices.first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xc0 }!
        bytes[frame + 1] = UInt8(kind)
        #expect(throws: BadPicture.broken) { try bytes.parts() }
    }

    @Test(arguments: ["ANIM", "ANMF"]) func `a picture that moves is refused`(chunk: String) {
        let still = Array(Drawn.bytes(.webp, 16, 16)[12...])
        let head = [UInt8].chunk("VP8X", [2, 0, 0, 0, 15, 0, 0, 15, 0, 0])
        let bytes = [UInt8].webP(head + .chunk(chunk, [0, 0]) + still)
        #expect(throws: BadPicture.broken) { try bytes.parts() }
    }

    @Test(arguments: [(UInt8(15), true), (UInt8(14), false)])
    func `both sizes in a WebP are the same`(side: UInt8, isTaken: Bool) {
        let still = Array(Drawn.bytes(.webp, 16, 16)[12...])
        let head = [UInt8].chunk("VP8X", [0, 0, 0, 0, side, 0, 0, side, 0, 0])
        #expect(((try? [UInt8].webP(head + still).parts()) != nil) == isTaken)
    }

    @Test func `a chunk of a PNG that is longer than the file is refused`() {
        var bytes = Drawn.bytes(.png)
        bytes.replaceSubrange(33..<37, with: [0xff, 0xff, 0xff, 0xff])
        #expect(throws: BadPicture.broken) { try bytes.parts() }
    }

    private static let secret = "<script>tajna</script>"

    /// How colours are meant is told in few bytes. What is longer tells something else.
    @Test(arguments: ["gAMA", "sRGB", "cHRM", "tRNS", "PLTE"])
    func `nothing is kept where a picture tells how its colours are meant`(_ name: String) throws {
        let text = Array(Self.secret.utf8) + [UInt8](repeating: 0, count: 179 - Self.secret.utf8.count)
        var bytes = Drawn.bytes(.png)
        bytes.insert(contentsOf: [UInt8].big(text.count + 1, 4) + Array(name.utf8) + text + [0, 1, 2, 3, 4], at: 33)
        guard let parts = try? bytes.parts() else { return }
        let plain = try Drawn.bytes(.png).parts()
        #expect(!parts.clean.has("tajna") && parts.clean == plain.clean)
    }

    /// Pictures with a table need it, and what is clear in it.
    @Test func `a table of colours stays`() throws {
        let bytes = Drawn.bytes(.png, hasTable: true)
        let kept = try bytes.parts().clean
        #expect(bytes.has("PLTE") && kept.has("PLTE"))
    }

    @Test func `nothing is kept behind what Adobe tells of colours`() throws {
        let told = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1]
        func picture(_ more: String) -> [UInt8] {
            var bytes = Drawn.bytes(.jpeg)
            bytes.insert(
                contentsOf: [0xff, 0xee] + [UInt8].big(told.count + more.utf8.count + 2, 2) + told + more.utf8, at: 2)
            return bytes
        }
        let (parts, plain) = (try picture(Self.secret).parts(), try picture("").parts())
        #expect(!parts.clean.has("tajna") && parts.clean == plain.clean)
        #expect(Drawn.look(at: parts.clean).quarters == Drawn.quarters)
    }

    @Test func `a photo whose middle is something else is refused`() {
        var bytes = Drawn.bytes(.jpeg, 600, 400)
        let middle = bytes.count / 3..<bytes.count * 2 / 3
        var word: UInt8 = 7
        for place in middle {
            word = word &* 5 &+ 3
            bytes[place] = word == 0xff ? 0xfe : word
        }
        #expect(throws: BadPicture.broken) { try bytes.picture() }
    }
}
