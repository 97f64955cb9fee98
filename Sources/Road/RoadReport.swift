import API
import Domain
import HTTP
import Postgres

/// A report of the road, as an account sees it. Who made it and who voted is nobody's to know.
struct RoadReport: Sendable {
    let id: ID
    private let kind: String
    private let roadType: String?
    private let title: String
    private let text, road, department, source: String?
    private let location: Location?
    private let validFrom: Timestamp
    private let validUntil: Timestamp?
    private let state: String
    private let goneVotes, stillThereVotes: Int32
    private let voted: String?
    /// How far it is from the place that is meant, where one is.
    let distance: Double?

    /// The columns of a report `r`, as the account sees it, so far away.
    static func columns(for account: String, distance: String = "NULL::double precision") -> String {
        """
        r.id, r.kind, r.road_type, r.title, r.text, r.road, r.department, r.source, r.lat, r.lon, r.valid_from, r.valid_until,
        CASE WHEN r.gone_at IS NOT NULL THEN 'gone' WHEN r.valid_until <= now() THEN 'expired' ELSE 'valid' END,
        r.gone_votes, r.still_there_votes,
        (SELECT min(v.vote) FROM road_votes v WHERE v.report_id = r.id AND v.account_id = \(account)), \(distance)
        """
    }

    /// Whether a report `r` still holds, which is decided by the clock, whatever was tidied up meanwhile.
    static let isValid = "r.is_listed AND (r.valid_until > now()) IS NOT FALSE"

    init(_ row: inout RowReader) throws {
        (id, kind, roadType, title) = (try row.read(), try row.read(), try row.read(), try row.read())
        (text, road, department) = (try row.read(), try row.read(), try row.read())
        source = try row.read()
        location = try .read(&row)
        (validFrom, validUntil, state) = (try row.read(), try row.read(), try row.read())
        (goneVotes, stillThereVotes) = (try row.read(), try row.read())
        (voted, distance) = (try row.read(), try row.read())
    }

    static let kindShape = Shape.oneOf(RoadKind.allCases.map(\.rawValue), named: "RoadKind")
    static let typeShape = Shape.oneOf(RoadType.allCases.map(\.rawValue), named: "RoadType")
    private static let voteShape = Shape.oneOf(RoadVote.allCases.map(\.rawValue), named: "RoadVote")

    static let shape = Shape.object(
        "RoadReport",
        [
            .init("id", .id), .init("kind", kindShape), .init("road_type", typeShape.orNull),
            .init("title", .string()), .init("text", Shape.string().orNull), .init("road", Shape.string().orNull),
            .init("department", Shape.string().orNull), .init("location", Location.written),
            // Who told Kurir of it, if that was no account.
            .init("source", Shape.string().orNull),
            .init("valid_from", .time), .init("valid_until", Shape.time.orNull),
            .init("state", .oneOf(["valid", "gone", "expired"], named: "RoadState")),
            .init("gone_votes", .count), .init("still_there_votes", .count), .init("voted", voteShape.orNull),
            // From the place that was asked for.
            .init("distance_m", .count, optional: true),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("kind", kind)
        json.field("road_type", roadType)
        json.field("title", title)
        json.field("text", text)
        json.field("road", road)
        json.field("department", department)
        json.field("location", location)
        json.field("source", source)
        json.field("valid_from", validFrom)
        json.field("valid_until", validUntil)
        json.field("state", state)
        json.field("gone_votes", Int(goneVotes))
        json.field("still_there_votes", Int(stillThereVotes))
        json.field("voted", voted)
        if let distance { json.field("distance_m", Int(distance.rounded())) }
    }

    func response(_ status: Status = .ok) -> Response {
        var json = JSONWriter()
        json.object(write)
        return .json(json.bytes, status: status)
    }
}

/// What somebody says of a report.
enum RoadVote: String, CaseIterable, Sendable {
    case gone
    case stillThere = "still_there"
}
