/// Where the pictures of a map come from that this server has itself.
package protocol TileSource: Sendable {
    /// Their media type.
    var type: String { get }
    /// A picture; nil where there is none.
    func tile(_ place: TilePlace) async throws -> [UInt8]?
}
