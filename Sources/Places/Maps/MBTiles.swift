import CSQLite
import Domain
import EventLoop

/// A file of map tiles (MBTiles 1.3): a database of SQLite, read on threads of its own and never written.
package final class MBTiles: TileSource {
    /// Why a file is not taken.
    package struct Unfit: Error, CustomStringConvertible {
        package let description: String
    }

    /// The media type of its tiles.
    package let type: String
    /// Whose map it is, without markup.
    package let attribution: String?
    /// How far it goes in, and out.
    package let zooms: ClosedRange<Int>
    /// West, south, east and north of what there is, where the file says so.
    package let bounds: [Double]?
    private let pool: BlockingPool
    private let idle: Locked<[TileReader]>
    private let cache = Locked(TileCache())

    private static let (readers, mostWaiting) = (2, 256)

    /// Opens it. All connections are made now, since the server may give rights up afterwards.
    package init(path: String) throws {
        let readers = try (0..<Self.readers).map { _ in try TileReader(path: path) }
        let format = try readers[0].metadata("format") ?? "png"
        guard let type = Self.types[format.lowercased()] else {
            throw Unfit(description: "its tiles are \(format), and pictures (png, jpg, webp) are wanted")
        }
        self.type = type
        attribution = try readers[0].metadata("attribution").map(Self.text)
        let (least, most) = (try readers[0].metadata("minzoom"), try readers[0].metadata("maxzoom"))
        zooms = Self.zooms(least.flatMap { Int($0) } ?? 0, most.flatMap { Int($0) } ?? 19)
        bounds = try readers[0].metadata("bounds").flatMap(Self.bounds)
        pool = try BlockingPool(name: "tiles", threads: Self.readers, waiting: Self.mostWaiting)
        idle = Locked(readers)
    }

    private static let types = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    ]

    private static func zooms(_ least: Int, _ most: Int) -> ClosedRange<Int> {
        let most = min(max(most, 0), 24)
        return min(max(least, 0), most)...most
    }

    private static func bounds(_ text: String) -> [Double]? {
        let numbers = text.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) }
        guard numbers.count == 4, Location(lat: numbers[1], lon: numbers[0]) != nil,
            Location(lat: numbers[3], lon: numbers[2]) != nil, numbers[0] < numbers[2], numbers[1] < numbers[3]
        else { return nil }
        return numbers
    }

    /// What is left of markup without its tags.
    private static func text(_ markup: String) -> String {
        var (text, isTag) = ("", false)
        for character in markup {
            if character == "<" { isTag = true }
            if !isTag { text.append(character) }
            if character == ">" { isTag = false }
        }
        return text
    }

    /// A tile; nil where there is none.
    package func tile(_ place: TilePlace) async throws -> [UInt8]? {
        if let known = cache.withLock({ $0[place] }) { return known.isEmpty ? nil : known }
        let bytes = try await pool.run { [self] () throws -> [UInt8]? in
            // There are as many readers as threads.
            guard let reader = idle.withLock({ $0.popLast() }) else { return nil }
            defer { idle.withLock { $0.append(reader) } }
            return try reader.tile(place)
        }
        cache.withLock { $0[place] = bytes ?? [] }
        return bytes
    }

    /// How many bytes of tiles are in memory.
    var kept: Int { cache.withLock { $0.bytes } }

    /// Ends its threads.
    package func stop() { pool.stop() }
}

/// Where a tile is: how far in, and which one from the north-west.
package struct TilePlace: Hashable, Sendable {
    package let zoom, column, row: Int

    /// A tile; nil when there is none of these numbers.
    package init?(zoom: Int, column: Int, row: Int) {
        guard (0...24).contains(zoom), case let most = 1 << zoom, (0..<most).contains(column), (0..<most).contains(row)
        else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// The row as files of tiles count it: from the south.
    var fromSouth: Int { (1 << zoom) - 1 - row }
}

/// The tiles that were asked for last, in memory up to a bound. New ones come to one half; when that is full, it takes the place of
/// the other, which is forgotten.
private struct TileCache {
    private static let mostBytes = 16 << 20
    private var (new, old): ([TilePlace: [UInt8]], [TilePlace: [UInt8]]) = ([:], [:])
    private var size = 0

    var bytes: Int { (Array(new.values) + Array(old.values)).reduce(0) { $0 + $1.count } }

    /// A place without a tile has an empty one.
    subscript(_ place: TilePlace) -> [UInt8]? {
        mutating get {
            if let tile = new[place] { return tile }
            guard let tile = old[place] else { return nil }
            self[place] = tile
            return tile
        }
        set {
            guard let newValue, newValue.count < Self.mostBytes / 8, new[place] == nil else { return }
            // An entry takes room, too.
            size += newValue.count + 128
            if size > Self.mostBytes / 2 { (old, new, size) = (new, [:], newValue.count + 128) }
            new[place] = newValue
        }
    }
}
