import Domain
import Foundation
import HTTP
import Simulation
import TestSupport
import Testing

@testable import Places
@testable import Product

/// The map of a demo's town.
@Suite(.database) struct TownTilesTests {
    @Test func `a tile is a picture of the town, and beyond it there is none`() async throws {
        try await ServedProduct.serving(map: Demo.map) { api in
            let map = try await api.get("/v1/about").json["map"]
            #expect(map["tiles"] == "/tiles/{z}/{x}/{y}" && map["bounds"].items.count == 4)
            let middle = Town.Spot(east: Town.width / 2, north: Town.height / 2).location
            for zoom in [11, 14, 16, 18] {
                let count = Double(1 << zoom)
                let column = Int((middle.lon + 180) / 360 * count)
                let row = Int((1 - asinh(tan(middle.lat * .pi / 180)) / .pi) / 2 * count)
                let tile = try await api.get("/tiles/\(zoom)/\(column)/\(row)").reply
                #expect(tile.status == 200 && tile.headers("content-type") == ["image/png"])
                // What Kurir itself reads pictures by finds nothing wrong with it.
                let courier = try await api.courier()
                let taken = try await api.send(tile.body, as: courier, type: "image/png")
                #expect(taken.status == 201 && taken.json["width"] == 256 && taken.json["height"] == 256)
            }
            // A screen that is higher or wider than the town sees what is around it.
            for (east, north) in [(2500.0, 7000.0), (2500, -3000), (-3000, 2000), (8000, 2000)] {
                let place = Town.Spot(east: east, north: north).location
                let (column, row) = (
                    Int((place.lon + 180) / 360 * 16384),
                    Int((1 - asinh(tan(place.lat * .pi / 180)) / .pi) / 2 * 16384)
                )
                #expect(try await api.get("/tiles/14/\(column)/\(row)").status == 200)
                let bounds = map["bounds"].items.compactMap(\.double)
                #expect(bounds[0] < place.lon && place.lon < bounds[2])
                #expect(bounds[1] < place.lat && place.lat < bounds[3])
            }
            #expect(try await api.get("/tiles/14/0/0").status == 404)
            #expect(try await api.get("/tiles/0/0/0").status != 500)
        }
    }
}
