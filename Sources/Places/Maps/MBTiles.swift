import CSQLite
import EventLoop

/// A file of map tiles (MBTiles 1.3): a database of SQLite, read on threads of its own and never written.
package final class MBTiles: Sendable {
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
        return numbers.count == 4 && numbers.allSatisfy(\.isFinite) ? numbers : nil
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

    /// Ends its threads.
    package func stop() { pool.stop() }
}

/// Where a tile is: how far in, and which one from the north-west.
package struct TilePlace: Hashable, Sendable {
    let zoom, column, row: Int

    /// A tile; nil when there is none of these numbers.
    package init?(zoom: Int, column: Int, row: Int) {
        guard (0...24).contains(zoom), case let most = 1 << zoom, (0..<most).contains(column), (0..<most).contains(row)
        else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// The row as files of tiles count it: from the south.
    var fromSouth: Int { (1 << zoom) - 1 - row }
}

/// The tiles that were asked for last, in memory up to a bound.
private struct TileCache {
    private static let mostBytes = 16 << 20
    private var tiles: [TilePlace: (bytes: [UInt8], used: Int)] = [:]
    private var (size, clock) = (0, 0)

    /// A place without a tile has an empty one.
    subscript(_ place: TilePlace) -> [UInt8]? {
        mutating get {
            clock += 1
            tiles[place]?.used = clock
            return tiles[place]?.bytes
        }
        set {
            guard let newValue, newValue.count < Self.mostBytes / 8 else { return }
            clock += 1
            size += Self.weight(newValue) - (tiles[place].map { Self.weight($0.bytes) } ?? 0)
            tiles[place] = (newValue, clock)
            if size > Self.mostBytes { forgetHalf() }
        }
    }

    private static func weight(_ bytes: [UInt8]) -> Int { bytes.count + 128 }

    private mutating func forgetHalf() {
        let middle = tiles.values.map(\.used).sorted()[tiles.count / 2]
        tiles = tiles.filter { $0.value.used > middle }
        size = tiles.values.reduce(0) { $0 + Self.weight($1.bytes) }
    }
}
