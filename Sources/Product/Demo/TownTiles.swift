import Domain
import Glibc
import Places
import Simulation

/// The map of a demo's town, drawn as it is asked for.
struct TownTiles: TileSource {
    static let map = MapSource.drawn(
        TownTiles(), MapView(tiles: MapView.ownTiles, zooms: 11...18, bounds: Town.bounds))

    let type = "image/png"
    private static let size = 256
    /// One colour for each kind of ground, in their order.
    private static let colours: [(UInt8, UInt8, UInt8)] = [
        (243, 241, 236), (228, 224, 214), (255, 255, 255), (249, 222, 154), (170, 205, 228), (207, 226, 197),
    ]

    func tile(_ place: TilePlace) -> [UInt8]? {
        let tiles = Double(1 << place.zoom)
        // Metres along this parallel are good enough for a town.
        let pixel = 40_075_017 * cos(45.8 * .pi / 180) / tiles / Double(Self.size)
        func lon(_ x: Double) -> Double { x / tiles * 360 - 180 }
        func lat(_ y: Double) -> Double { atan(sinh(.pi * (1 - 2 * y / tiles))) * 180 / .pi }
        let (x, y) = (Double(place.column), Double(place.row))
        guard let start = Location(lat: lat(y), lon: lon(x)), let end = Location(lat: lat(y + 1), lon: lon(x + 1))
        else { return nil }
        let (first, last) = (Town.Spot(start), Town.Spot(end))
        let (near, far) = (
            Town.Spot(east: first.east, north: last.north), Town.Spot(east: last.east, north: first.north)
        )
        guard Town.isDrawn(from: near, to: far) else { return nil }
        let step = 1 / Double(Self.size)
        let rows = (0..<Self.size).map { down in
            let north = first.north + (last.north - first.north) * (Double(down) + 0.5) * step
            return (0..<Self.size).map { across in
                let east = first.east + (last.east - first.east) * (Double(across) + 0.5) * step
                return Town.ground(at: Town.Spot(east: east, north: north), pixel: pixel).rawValue
            }
        }
        return PalettePNG.bytes(rows, Self.colours)
    }
}

/// A picture of few colours as a PNG that is not compressed: who looks at it is on the same machine.
enum PalettePNG {
    /// Rows of numbers of colours, of which there are sixteen at most; a row has an even number of them.
    static func bytes(_ rows: [[UInt8]], _ colours: [(UInt8, UInt8, UInt8)]) -> [UInt8] {
        // Four bits a pixel, by a palette.
        let header = word(rows[0].count) + word(rows.count) + [4, 3, 0, 0, 0]
        let content = rows.flatMap { (row: [UInt8]) -> [UInt8] in
            [0] + stride(from: 0, to: row.count, by: 2).map { row[$0] << 4 | row[$0 + 1] }
        }
        return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", header)
            + chunk("PLTE", colours.flatMap { [$0.0, $0.1, $0.2] }) + chunk("IDAT", stored(content)) + chunk("IEND", [])
    }

    private static func word(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        return word(content.count) + named + word(Int(checksum(named)))
    }

    /// As zlib has it, in blocks that are as they are.
    private static func stored(_ content: [UInt8]) -> [UInt8] {
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([0x78, 0x01], content[...])
        repeat {
            let part = rest.prefix(65_535)
            rest = rest.dropFirst(part.count)
            let (low, high) = (UInt8(truncatingIfNeeded: part.count), UInt8(truncatingIfNeeded: part.count >> 8))
            bytes += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + part
        } while !rest.isEmpty
        var (one, two): (Int, Int) = (1, 0)
        for byte in content {
            one = (one + Int(byte)) % 65_521
            two = (two + one) % 65_521
        }
        return bytes + word(two << 16 | one)
    }

    /// CRC-32.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { rest, _ in rest & 1 == 1 ? 0xedb8_8320 ^ (rest >> 1) : rest >> 1 }
    }
}
