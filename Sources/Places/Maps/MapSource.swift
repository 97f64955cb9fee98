/// What the operator has maps drawn on.
package enum MapSource: Sendable {
    /// A plain grid.
    case grid
    /// Pictures that browsers load from elsewhere, with whose they are.
    case pictures(template: String, attribution: String?)
    /// Pictures that this server draws.
    case drawn(any TileSource, MapView)
    /// Pictures of a file, which this server has.
    case file(MBTiles, attribution: String?)

    /// Whether an operator can mean that: a template, or a file of tiles.
    package static func takes(_ text: String) -> Bool { isFile(text) || isTemplate(text) }

    /// What the operator named, of which files are opened.
    package init(_ text: String, attribution: String?) throws {
        if Self.isFile(text) {
            self = .file(try MBTiles(path: text), attribution: attribution)
        } else {
            self = .pictures(template: text, attribution: attribution)
        }
    }

    private static func isFile(_ text: String) -> Bool { text.hasSuffix(".mbtiles") }

    /// Its origin becomes part of a header, and its rest of addresses. Only a map of this machine itself may do without TLS.
    private static func isTemplate(_ text: String) -> Bool {
        let form =
            #/(?:https://[A-Za-z0-9.\-]+|http://(?:127\.0\.0\.1|localhost))(?::(?<port>[0-9]{1,5}))?/[A-Za-z0-9._~:/?@!$&'()*+,=%{}\-]*/#
        let rest = ["{z}", "{x}", "{y}"].reduce(text) { $0.replacing($1, with: "") }
        guard let parts = text.wholeMatch(of: form) else { return false }
        if let port = parts.port, !(1...65_535).contains(Int(port) ?? 0) { return false }
        return !rest.contains { "{}".contains($0) }
            && ["{z}", "{x}", "{y}"].allSatisfy { text.contains($0) }
    }

    /// Ends what reads it.
    package func stop() {
        if case .file(let tiles, _) = self { tiles.stop() }
    }

    /// The pictures that this server has itself.
    var tiles: (any TileSource)? {
        switch self {
        case .grid, .pictures: nil
        case .drawn(let tiles, _): tiles
        case .file(let tiles, _): tiles
        }
    }

    /// What pages must know of it.
    package var view: MapView {
        switch self {
        case .grid: MapView()
        case .drawn(_, let view): view
        case .pictures(let template, let attribution): MapView(tiles: template, attribution: attribution)
        case .file(let tiles, let attribution):
            MapView(
                tiles: MapView.ownTiles, attribution: attribution ?? tiles.attribution, zooms: tiles.zooms,
                bounds: tiles.bounds)
        }
    }
}
