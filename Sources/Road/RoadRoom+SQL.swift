import API
import Domain
import Postgres

/// Keeps a report, unless there is one like it, whose id is told.
struct AddRoadReport: Statement {
    static let sql = "SELECT report_road($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
    let id, author: ID
    let form: NewRoadReport

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(author)
        parameters.add(form.kind.rawValue)
        parameters.add(form.roadType?.rawValue)
        parameters.add(form.title)
        parameters.add(form.text)
        parameters.add(form.road)
        parameters.add(form.department)
        parameters.add(form.location.lat)
        parameters.add(form.location.lon)
    }

    static func decode(_ row: inout RowReader) throws -> ID? { try row.read() }
}

/// Counts what an account says of a report.
struct VoteOnRoad: Statement {
    static let sql = "SELECT vote_on_road($1, $2, $3)"
    let report, account: ID
    let vote: RoadVote

    func bind(into parameters: inout Parameters) {
        parameters.add(report)
        parameters.add(account)
        parameters.add(vote.rawValue)
    }

    /// What became of it; nil if there is no such report.
    static func decode(_ row: inout RowReader) throws -> String? { try row.read() }
}

/// Finds a report of one of these kinds, also one that is over.
struct FindRoadReport: Statement {
    static let sql = """
        SELECT \(RoadReport.columns(for: "$1")) FROM road_reports r WHERE r.id = $2 AND r.kind = ANY ($3)
        """
    static let isReadOnly = true
    let account, id: ID
    let kinds: [RoadKind]

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(id)
        parameters.add(kinds.map(\.rawValue))
    }

    static func decode(_ row: inout RowReader) throws -> RoadReport { try RoadReport(&row) }
}

/// What is asked for of an area: a page of the reports of some kinds, and how much there is of each.
struct RoadSearch: Sendable {
    private let account: ID
    private let area: RoadArea
    private let kinds, wanted: [RoadKind]
    private let after: (distance: Double, id: ID)
    private let limit: Int32

    /// `kinds` are those that there are, and `wanted` those that are told.
    init(account: ID, area: RoadArea, kinds: [RoadKind], wanted: [RoadKind], page: Page) throws {
        (self.account, self.area, self.kinds, self.wanted, limit) = (account, area, kinds, wanted, page.fetched)
        guard let key = page.after else {
            after = (-1, ID(high: 0, low: 0))
            return
        }
        guard key.count == 2, let distance = Double(key[0]), distance >= 0, distance.isFinite, let id = ID(key[1])
        else { throw Page.wrongCursor }
        after = (distance, id)
    }

    fileprivate func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(area.middle.lat)
        parameters.add(area.middle.lon)
        parameters.add(area.radius)
        parameters.add(area.box?.south)
        parameters.add(area.box?.west)
        parameters.add(area.box?.north)
        parameters.add(area.box?.east)
        parameters.add(kinds.map(\.rawValue))
        parameters.add(wanted.map(\.rawValue))
        parameters.add(after.distance)
        parameters.add(after.id)
        parameters.add(limit)
    }

    /// So many around the middle are looked at.
    static let mostLookedAt = 10_000

    fileprivate static let areas = """
        areas AS MATERIALIZED (
            SELECT area FROM boxes_around($2, $3, $4) AS area
            UNION ALL SELECT area FROM boxes_between($5, $6, $7, $8) AS area)
        """
    /// Those of some kinds. What lies in a corner of the boxes around a circle is none of it, and yet of the crowd.
    fileprivate static func found(_ kinds: String) -> String {
        """
        SELECT r.id, r.kind, distance, (distance <= $4) IS NOT FALSE AS is_within
        FROM areas, LATERAL roads_in(area, point($3, $2), \(kinds), \(mostLookedAt)) r,
            LATERAL (SELECT distance_m(r.lat, r.lon, $2, $3) AS distance OFFSET 0) d
        """
    }
    /// A page of `wanted`, nearest first, each with the same beside it.
    fileprivate static func page(with counts: String) -> String {
        """
        page AS MATERIALIZED (
            SELECT id, distance FROM wanted WHERE (distance, id) > ($11, $12) ORDER BY distance, id LIMIT $13)
        SELECT \(counts), told.* FROM (SELECT) one LEFT JOIN (
            SELECT r.* FROM page p, LATERAL (
                SELECT \(RoadReport.columns(for: "$1", distance: "p.distance")) AS distance FROM road_reports r WHERE r.id = p.id OFFSET 0) r
        ) told ON true ORDER BY told.distance, told.id
        """
    }
}

/// What holds in an area, nearest first, and how much of each kind there is in it. If that is a crowd, nothing is told but that,
/// by counts that are none: it takes longer (``ListRoadCrowd``).
struct ListRoadReports: Statement {
    static let sql = """
        WITH \(RoadSearch.areas),
        found AS MATERIALIZED (\(RoadSearch.found("$9"))),
        is_crowd AS MATERIALIZED (SELECT count(*) >= \(RoadSearch.mostLookedAt) AS it FROM found),
        here AS (SELECT * FROM found WHERE is_within AND NOT (SELECT it FROM is_crowd)),
        wanted AS (SELECT * FROM here WHERE kind = ANY ($10)),
        counts AS (SELECT jsonb_object_agg(kind, count) AS by_kind FROM (SELECT kind, count(*) FROM here GROUP BY kind) c),
        \(RoadSearch.page(with: """
            (SELECT coalesce(by_kind, '{}') FROM counts WHERE NOT (SELECT it FROM is_crowd))
            """))
        """
    static let isReadOnly = true
    let search: RoadSearch

    func bind(into parameters: inout Parameters) { search.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Remarked<JSONB?, RoadReport> {
        try Remarked(try row.read(), &row) { try RoadReport(&$0) }
    }
}

/// The same of a crowd: those around the middle are told, so that nobody asks for more than the database gives at once. Those of the
/// kinds that are asked for are looked for by themselves, and all are counted, which no index bounds.
struct ListRoadCrowd: Statement {
    static let sql = """
        WITH \(RoadSearch.areas),
        wanted AS (SELECT * FROM (\(RoadSearch.found("$10"))) found WHERE is_within),
        counts AS (
            SELECT jsonb_object_agg(kind, count) AS by_kind FROM (
                SELECT r.kind, count(*) FROM areas, LATERAL (
                    SELECT * FROM road_reports r WHERE r.place <@ area AND \(RoadReport.isValid) AND r.kind = ANY ($9) OFFSET 0) r
                WHERE (distance_m(r.lat, r.lon, $2, $3) <= $4) IS NOT FALSE GROUP BY r.kind) c),
        \(RoadSearch.page(with: "(SELECT coalesce(by_kind, '{}') FROM counts)"))
        """
    static let isReadOnly = true
    let search: RoadSearch

    func bind(into parameters: inout Parameters) { search.bind(into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> Remarked<JSONB, RoadReport> {
        try Remarked(try row.read(), &row) { try RoadReport(&$0) }
    }
}

/// The nearest of what holds around a place, some at most.
struct FindRoadsNear: Statement {
    /// Within so many metres, and how many are told.
    static let (meters, most) = (1000.0, 5)
    static let sql = """
        SELECT \(RoadReport.columns(for: "$1", distance: "r.distance"))
        FROM (
            SELECT r.*, distance_m(r.lat, r.lon, $2, $3) AS distance
            FROM boxes_around($2, $3, \(meters)) AS area, LATERAL (
                SELECT * FROM road_reports r WHERE r.place <@ area AND \(RoadReport.isValid) AND r.kind = ANY ($4) OFFSET 0) r
            WHERE distance_m(r.lat, r.lon, $2, $3) <= \(meters)
            ORDER BY distance, r.id LIMIT \(most)) r
        ORDER BY r.distance, r.id
        """
    static let isReadOnly = true
    let account: ID
    let place: Location
    let kinds: [RoadKind]

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(place.lat)
        parameters.add(place.lon)
        parameters.add(kinds.map(\.rawValue))
    }

    static func decode(_ row: inout RowReader) throws -> RoadReport { try RoadReport(&row) }
}

/// Which of some reports, that are new, lie near which of some couriers, who have just said where they are.
struct FindRoadHearers: Statement {
    static let meters = 2000.0
    static let sql = """
        WITH news AS MATERIALIZED (
            SELECT r.* FROM road_reports r WHERE r.id = ANY ($2) AND \(RoadReport.isValid) AND r.kind = ANY ($3))
        SELECT h.id, \(RoadReport.columns(for: "h.id", distance: "distance_m(r.lat, r.lon, p.lat, p.lon)"))
        FROM unnest($1::uuid[]) AS h(id), LATERAL (
            SELECT lat, lon FROM positions p
            WHERE p.courier_id = h.id AND p.at >= now() - interval '\(Fix.freshness) seconds' OFFSET 0) p,
            news r
        WHERE abs(r.lat - p.lat) < \(meters / 111_000) AND distance_m(r.lat, r.lon, p.lat, p.lon) <= \(meters)
        """
    static let isReadOnly = true
    let couriers, reports: [ID]
    let kinds: [RoadKind]

    func bind(into parameters: inout Parameters) {
        parameters.add(couriers)
        parameters.add(reports)
        parameters.add(kinds.map(\.rawValue))
    }

    static func decode(_ row: inout RowReader) throws -> (courier: ID, report: RoadReport) {
        (try row.read(), try RoadReport(&row))
    }
}

/// Takes out of searches what has come to its end, and forgets what was over long ago. Says whether there may be more.
package struct TidyRoads: Statement {
    package static let sql = "SELECT tidy_roads()"

    package init() {}

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
