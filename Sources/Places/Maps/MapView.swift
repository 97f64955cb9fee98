/// What maps in pages are drawn on: pictures of somebody's map, or a plain grid.
package struct MapView: Sendable {
    /// Where the pictures are, as in `https://tile.example/{z}/{x}/{y}.png`; nil where there are none.
    package let tiles: String?
    /// Whose map it is.
    package let attribution: String?
    /// How far it goes in, and out.
    package let zooms: ClosedRange<Int>
    /// West, south, east and north of what there is, where that is not the world.
    package let bounds: [Double]?

    /// Where pictures are that this server has itself.
    package static let ownTiles = "/tiles/{z}/{x}/{y}"

    package init(
        tiles: String? = nil, attribution: String? = nil, zooms: ClosedRange<Int> = 0...19, bounds: [Double]? = nil
    ) {
        (self.tiles, self.attribution, self.zooms, self.bounds) = (tiles, attribution, zooms, bounds)
    }

    /// Where else pages may load pictures from.
    package var origins: [String] {
        let parts = (tiles ?? "").split(separator: "/", maxSplits: 2)
        guard parts.count == 3, parts[0].hasSuffix(":") else { return [] }
        return ["\(parts[0])//\(parts[1])"]
    }
}
