/// What maps in pages are drawn on: pictures of somebody's map, or a plain grid.
package struct MapView: Sendable {
    /// Where the pictures are, as in `https://tile.example/{z}/{x}/{y}.png`; nil where there are none.
    package let tiles: String?
    /// Whose map it is.
    package let attribution: String?
    /// How far it goes in.
    package let mostZoom: Int

    package init(tiles: String? = nil, attribution: String? = nil, mostZoom: Int = 19) {
        (self.tiles, self.attribution, self.mostZoom) = (tiles, attribution, mostZoom)
    }

    /// Where else pages may load pictures from.
    package var origins: [String] {
        guard let tiles, let start = tiles.range(of: "://") else { return [] }
        let rest = tiles[start.upperBound...]
        return [String(tiles[..<(rest.firstIndex(of: "/") ?? tiles.endIndex)])]
    }
}
