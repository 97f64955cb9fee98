import API
import Deliveries
import HTTP

/// What its holder had better know of the road around a delivery's place.
package struct RoadsNear: Surroundings {
    private let kinds: [RoadKind]

    package init(withRadars: Bool) { kinds = RoadKind.all(withRadars: withRadars) }

    package let name: StaticString = "roads_near"
    package var shape: Shape { .array(RoadReport.shape, most: FindRoadsNear.most) }

    package func written(for visit: Visit) async throws -> [UInt8]? {
        guard visit.isHolders else { return nil }
        let find = FindRoadsNear(account: visit.call.caller.account, place: visit.place, kinds: kinds)
        let reports = try await visit.call.run(find)
        let items = reports.map { report in
            var json = JSONWriter()
            json.object(report.write)
            return json.bytes
        }
        return Array("[".utf8) + Array(items.joined(separator: ",".utf8)) + Array("]".utf8)
    }
}
