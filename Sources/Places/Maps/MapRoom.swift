import API
import EventLoop
import HTTP

/// The pictures that maps in pages are drawn on, where this server has them itself.
package struct MapRoom: Room {
    private let tiles: (any TileSource)?

    package init(_ source: MapSource) { tiles = source.tiles }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/tiles/{z}/{x}/{y}", for: .anyone, "A tile of the operator's map", room: "Maps",
                answers: [.text("image/png", "The picture, with its own media type.")], refuses: [.notFound],
                handler: tile)
        ]
    }

    private func tile(_ call: Call) async throws -> Response {
        let (zoom, column): (Int, Int) = (try call.request.parameter("z"), try call.request.parameter("x"))
        guard let tiles, let place = TilePlace(zoom: zoom, column: column, row: try call.request.parameter("y"))
        else { throw Problem.notFound }
        do {
            guard let bytes = try await tiles.tile(place) else { throw Problem.notFound }
            return Response(
                .ok, headers: [Response.Header("Cache-Control", "public, max-age=86400")],
                body: .bytes(bytes, type: tiles.type))
        } catch is BlockingPool.Full {
            throw Problem.unavailable()
        }
    }
}
