/// Reads the segments of a JPEG (ITU T.81, B).
struct JPEGFile {
    static let mark: [UInt8] = [0xff, 0xd8, 0xff]
    /// Each scan goes over the whole picture, so many of them in few bytes would cost much. Cameras write ten at most.
    private static let mostScans = 32
    /// So many pixels in all of them: ten scans of the largest picture.
    private static let mostLooks = 10 * PictureParts.mostPixels

    private let bytes: UnsafeRawBufferPointer
    private var place = 2
    private var clean: [UInt8] = []
    private var size: (width: Int, height: Int)?
    private var orientation: UInt8 = 1
    private var scans = 0

    static func read(_ bytes: UnsafeRawBufferPointer) throws(BadPicture) -> PictureParts {
        var file = JPEGFile(bytes: bytes)
        file.clean.reserveCapacity(bytes.count)
        while try file.segment() {}
        guard let size = file.size, file.scans > 0 else { throw .broken }
        let begin: [UInt8] = [0xff, 0xd8] + (file.orientation == 1 ? [] : ExifOrientation.segment(file.orientation))
        return try PictureParts(
            .jpeg, size.width, size.height, orientation: file.orientation, clean: begin + file.clean + [0xff, 0xd9])
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads the next segment; false at the end.
    private mutating func segment() throws(BadPicture) -> Bool {
        guard try bytes.number(place, 1) == 0xff else { throw .broken }
        while try bytes.number(place, 1) == 0xff { place += 1 }
        let kind = try bytes.number(place, 1)
        place += 1
        if kind == 0xd9 {
            try end()
            return false
        }
        let whole = try bytes.part(place, try bytes.number(place, 2))
        guard whole.count >= 2 else { throw .broken }
        let content = try whole.part(2, whole.count - 2)
        place += whole.count
        switch kind {
        case 0xc0, 0xc1, 0xc2: try frame(content)
        case 0xda: scans += 1
        // Tables, the interval of restarts, and how the file and its colours are meant.
        case 0xc4, 0xdb, 0xdd: break
        case 0xe0 where content.count == 14 && content.starts(with: "JFIF\0".utf8): break
        // Which colours they are; what may stand behind that is nobody's.
        case 0xee where content.starts(with: "Adobe".utf8) && content.count >= 12:
            clean += [0xff, 0xee, 0, 14]
            clean += content[..<12]
            return true
        case 0xe1:
            orientation = ExifOrientation.read(content) ?? orientation
            return true
        case 0xe0...0xef, 0xfe: return true
        default: throw .broken
        }
        clean += [0xff, UInt8(kind)]
        clean += whole
        if kind == 0xda { try scan() }
        return true
    }

    private mutating func frame(_ content: UnsafeRawBufferPointer) throws(BadPicture) {
        guard size == nil else { throw .broken }
        let (height, width) = (try content.number(1, 2), try content.number(3, 2))
        guard width > 0, height > 0 else { throw .broken }
        guard width <= PictureParts.mostPixels / height else { throw .tooLarge }
        size = (width, height)
    }

    /// Goes on to the mark behind the data of a scan.
    private mutating func scan() throws(BadPicture) {
        guard let size, scans <= Self.mostScans, scans * size.width * size.height <= Self.mostLooks else {
            throw .broken
        }
        let start = place
        while true {
            guard let mark = bytes[place...].firstIndex(of: 0xff), mark + 1 < bytes.count else { throw .broken }
            place = mark
            switch bytes[mark + 1] {
            case 0x00, 0xd0...0xd7: place += 2
            case 0xff: place += 1
            default:
                clean += bytes[start..<place]
                return
            }
        }
    }

    /// Phones put further pictures behind the first (how bright it may be shown, how deep the view is). Anything else
    /// there is another file in disguise.
    private func end() throws(BadPicture) {
        let rest = bytes[place...]
        guard rest.isEmpty || rest.starts(with: Self.mark) else { throw .broken }
    }
}

/// How a picture is turned, as Exif tells it.
enum ExifOrientation {
    private static let tag = 0x0112

    /// The number from 1 to 8 in a segment; nil if it has none.
    static func read(_ segment: UnsafeRawBufferPointer) -> UInt8? {
        guard segment.starts(with: "Exif\0\0".utf8) else { return nil }
        let tiff = UnsafeRawBufferPointer(rebasing: segment[6...])
        let isReversed = tiff.starts(with: "II".utf8)
        func number(_ place: Int, _ count: Int) throws(BadPicture) -> Int {
            try isReversed ? tiff.reversedNumber(place, count) : tiff.number(place, count)
        }
        do {
            guard isReversed || tiff.starts(with: "MM".utf8), try number(2, 2) == 42 else { return nil }
            let list = try number(4, 4)
            for entry in 0..<(try number(list, 2)) {
                let place = list + 2 + 12 * entry
                guard try number(place, 2) == tag else { continue }
                let value = try number(place + 8, 2)
                return (1...8).contains(value) ? UInt8(value) : nil
            }
        } catch {}
        return nil
    }

    /// A segment that says nothing else.
    static func segment(_ orientation: UInt8) -> [UInt8] {
        [0xff, 0xe1, 0, 34] + Array("Exif\0\0MM\0*".utf8)
            + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }
}
