import API
import Domain
import HTTP

/// What the figures by area begin with.
private enum AreaShapes {
    static let day = Shape.string(format: "date")
    static let period: [Shape.Member] = [.init("from", day), .init("to", day), .init("time_zone", .string())]
    static let place: [Shape.Member] = [
        .init("cell", .string(least: 6, most: 6, example: "u25kes")), .init("center", Location.written),
        .init("distance_m", .count, optional: true),
    ]
    static let total = Shape.object("AreaTotal", ComparedSums.members)
}

extension AreaRoom.Period {
    fileprivate func write(_ zone: String, _ json: inout JSONWriter) {
        json.field("from", first.description)
        json.field("to", last.description)
        json.field("time_zone", zone)
    }
}

extension AreaCell {
    fileprivate func write(from near: Location?, _ json: inout JSONWriter) {
        json.field("cell", description)
        json.field("center", middle)
        if let near { json.field("distance_m", Int(near.meters(to: middle))) }
    }
}

/// A store's figures by area, as the answer shows them.
struct AreasView {
    let period: AreaRoom.Period
    let zone: String
    let figures: AreaFigures
    let near: Location?

    static let shape = Shape.object(
        "Areas",
        AreaShapes.period + [
            .init("total", AreaShapes.total), .init("without_place", .count),
            .init("items", .array(.object("Area", AreaShapes.place + ComparedSums.members), most: 50)),
        ])

    var response: Response {
        var json = JSONWriter(capacity: 512 * (figures.top.count + 1))
        json.object { json in
            period.write(zone, &json)
            json.object("total") { figures.total.write(&$0) }
            json.field("without_place", figures.placeless.now.deliveries)
            json.array("items", figures.top) { json, area in
                json.object { json in
                    area.cell.write(from: near, &json)
                    area.sums.write(&json)
                }
            }
        }
        return .json(json.bytes)
    }
}

/// One area's figures, as the answer shows them.
struct AreaView {
    let cell: AreaCell
    let period: AreaRoom.Period
    let zone: String
    let days: [AreaDay]
    let near: Location?

    static let shape = Shape.object(
        "AreaByDay",
        AreaShapes.place + AreaShapes.period + [
            .init("total", AreaShapes.total),
            .init("days", .array(.object("AreaDay", [.init("day", AreaShapes.day)] + AreaSums.members), most: 366)),
        ])

    var response: Response {
        var (total, byDay): (ComparedSums, [Day: AreaSums]) = (ComparedSums(), [:])
        for row in days {
            guard let sums = row.sums(of: cell) else { continue }
            if row.day < period.first {
                total.before.add(sums)
            } else {
                total.now.add(sums)
                byDay[row.day] = sums
            }
        }
        var json = JSONWriter(capacity: 128 * (period.days.count + 4))
        json.object { json in
            cell.write(from: near, &json)
            period.write(zone, &json)
            json.object("total") { total.write(&$0) }
            json.array("days", period.days) { json, day in
                json.object { json in
                    json.field("day", day.description)
                    (byDay[day] ?? AreaSums()).write(&json)
                }
            }
        }
        return .json(json.bytes)
    }
}
