import API
import Deliveries
import Domain
import Feed
import HTTP
import Postgres

/// What is reported of the road, by whoever is out there.
package struct RoadRoom: Room {
    private let tail: RoadTail
    private let streams: NewsStreams
    private let reads: SlowReads
    /// What may be reported here.
    private let kinds: [RoadKind]

    package init(tail: RoadTail, streams: NewsStreams, reads: SlowReads, withRadars: Bool) {
        (self.tail, self.streams, self.reads) = (tail, streams, reads)
        kinds = RoadKind.all(withRadars: withRadars)
    }

    static let name = "Road"

    package var endpoints: [Endpoint] {
        [
            kinds.contains(where: \.isRadar)
                ? reporting(NewRoadReport.self) { $0 } : reporting(NewRoadReportWithoutRadars.self) { $0.report },
            Endpoint(
                .get, "/v1/roads", for: .signedIn,
                """
                What holds around a place or in a box, nearest first, with how much there is of each kind, those that are not \
                asked for as well; of \(RoadSearch.mostLookedAt) and more, those around the middle are told. With Accept: \
                text/event-stream (couriers), as a stream: `road` for each new report within \(Int(FindRoadHearers.meters)) metres of \
                where one has just said to be
                """,
                room: Self.name, query: RoadArea.parameters + [Self.filter] + Endpoint.Parameter.list,
                answers: [.ok(.page(of: RoadReport.shape, with: [Self.counts])).orStream()],
                refuses: [SlowReads.endedByAThird], handler: see),
            Endpoint(
                .get, "/v1/roads/{id}", for: .signedIn, "One report, also when it is over", room: Self.name,
                answers: [.ok(RoadReport.shape)], refuses: [.notFound]
            ) { try await find($0).response() },
            Endpoint(
                .post, "/v1/roads/{id}/gone", for: .signedIn,
                "Says that it is gone: the fifth who does removes it, and whoever reported it does alone",
                room: Self.name, answers: [.ok(RoadReport.shape)], refuses: [.notFound]
            ) { try await vote($0, .gone) }.forApproved,
            Endpoint(
                .post, "/v1/roads/{id}/still_there", for: .signedIn,
                "Says that it is still there: it holds for another day, and what was said against it counts no more",
                room: Self.name, answers: [.ok(RoadReport.shape)], refuses: [.notFound, .reportOver]
            ) { try await vote($0, .stillThere) }.forApproved,
        ]
    }

    private func reporting<F: Form>(_ form: F.Type, _ told: @escaping @Sendable (F) -> NewRoadReport) -> Endpoint {
        Endpoint(
            .post, "/v1/roads", for: .signedIn,
            """
            Reports something of the road. Conditions need a road_type. They and announced radars hold for a day, stationary \
            radars without end
            """,
            room: Self.name, takes: form, answers: [.created(RoadReport.shape)], refuses: [.reportedAlready],
            throttledBy: { call in
                [Throttle.Bucket("roads of", call.caller.account.description, burst: 60, step: .seconds(20))]
            }
        ) { try await report($0, told($1)) }.forApproved
    }

    private static let filter = Endpoint.Parameter(
        name: "kinds", shape: .string(example: "roadworks,closure"), what: "Only these kinds, with commas between."
    ) { text throws(InvalidValue) in _ = try named(in: text) }
    private static let counts = Shape.Member(
        "counts", .object("RoadCounts", RoadKind.allCases.map { .init($0.rawValue, .count, optional: true) }))

    private func report(_ call: Call, _ form: NewRoadReport) async throws -> Response {
        let id = ID.new()
        let same = try await call.run(AddRoadReport(id: id, author: call.caller.account, form: form)).first
        if let same, let same { throw Problem.alreadyReported(same) }
        return try await find(call, id).response(.created)
    }

    private func see(_ call: Call) async throws -> Response {
        if call.request.wantsEventStream {
            guard call.caller.kind == .courier else { throw Problem.forbidden(.courier) }
            return try await streams.response(to: call, from: tail)
        }
        let page = try call.page()
        let search = try RoadSearch(
            account: call.caller.account, area: RoadArea(call.request), kinds: kinds, wanted: wanted(call), page: page)
        let (reports, counts) = try await find(call, search)
        return page.response(
            reports, key: { ["\($0.distance ?? 0)", $0.id.description] }
        ) { json in
            json.raw("counts", counts.utf8)
        } write: { json, report in
            json.object(report.write)
        }
    }

    /// A crowd delays nobody but who asks for it.
    private func find(_ call: Call, _ search: RoadSearch) async throws -> ([RoadReport], counts: JSONB) {
        let rows = try await call.run(ListRoadReports(search: search))
        if let counts = rows.first?.remark { return (rows.compactMap(\.item), counts) }
        let crowd = try await reads.run(for: call.caller.account) { try await $0.run(ListRoadCrowd(search: search)) }
        return (crowd.compactMap(\.item), crowd.first?.remark ?? JSONB(utf8: Array("{}".utf8)))
    }

    private func wanted(_ call: Call) throws -> [RoadKind] {
        guard let text = call.request.query("kinds"), !text.isEmpty else { return kinds }
        let named = try Self.named(in: text)
        return kinds.filter(named.contains)
    }

    private static func named(in text: String) throws(InvalidValue) -> [RoadKind] {
        var named: [RoadKind] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: text.isEmpty) {
            guard let kind = RoadKind(rawValue: String(name)) else { throw InvalidValue("invalid_value") }
            named.append(kind)
        }
        return named
    }

    private func find(_ call: Call, _ id: ID? = nil) async throws -> RoadReport {
        let id = try id ?? call.request.parameter("id")
        let find = FindRoadReport(account: call.caller.account, id: id, kinds: kinds)
        guard let found = try await call.run(find).first else { throw Problem.notFound }
        return found
    }

    private func vote(_ call: Call, _ vote: RoadVote) async throws -> Response {
        // What is off here is nobody's to vote on.
        let id = try await find(call).id
        let outcome = try await call.run(VoteOnRoad(report: id, account: call.caller.account, vote: vote)).first
        guard let outcome, let outcome else { throw Problem.notFound }
        // Whoever says that it is gone, and is late, is right.
        if vote == .stillThere, outcome == "over" { throw Problem.reportOver }
        return try await find(call).response()
    }
}

extension Problem {
    static let reportedAlready = Problem(.conflict, "already_reported")
    static let reportOver = Problem(.conflict, "report_over")

    /// It is known, under that id.
    static func alreadyReported(_ id: ID) -> Problem {
        var problem = reportedAlready
        problem.id = id.description
        return problem
    }
}
