import API
import Domain
import HTTP
import Outbox
import Postgres

/// What there is to be read: news, words of the road and the weather for everybody, and what stores tell their couriers.
package struct BulletinRoom: Room {
    package init() {}

    private static let name = "Bulletin"
    private static let usual = 25

    package var eventTypes: [String] { ["bulletin.published"] }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/bulletin", for: .signedIn,
                "What there is to be read, newest first: what is for everybody, and what one's stores tell",
                room: Self.name, query: Endpoint.Parameter.list(of: Self.usual),
                answers: [.ok(.page(of: Published.shape, with: [.init("total", .integer(0...Int.max))]))], handler: list
            ),
            Endpoint(
                .get, "/v1/bulletin/{id}", for: .signedIn, "One of these", room: Self.name,
                answers: [.ok(Published.shape)], refuses: [.notFound], handler: find),
            Endpoint(
                .post, "/v1/bulletin", for: .store,
                "Tells one's couriers something; by push, too, the first time in a day that it is urgent",
                room: Self.name, takes: NewBulletin.self, answers: [.created(Published.shape)],
                refuses: [.alreadyPublished, .tooManyBulletins(nextIn: 1)], stillSeen: isStillThere, handler: post
            ).forApproved,
            Endpoint(
                .delete, "/v1/bulletin/{id}", for: .store, "Takes back what one has told", room: Self.name,
                answers: [.noContent], refuses: [.notFound], handler: delete),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let page = try Page(call.request, usually: Self.usual)
        let found = try await call.run(ListBulletins(account: call.caller.account, page: page))
        return page.response(found.compactMap(\.item), key: { ["\($0.at.microseconds)", $0.id.description] }) { json in
            json.field("total", Int(found.first?.remark ?? 0))
        } write: { json, bulletin in
            json.object(bulletin.write)
        }
    }

    private func find(_ call: Call) async throws -> Response {
        let wanted = FindBulletin(account: call.caller.account, id: try call.request.parameter("id"))
        guard let bulletin = try await call.run(wanted).first else { throw Problem.notFound }
        return bulletin.response()
    }

    private func post(_ call: Call, _ form: NewBulletin) async throws -> Response {
        let store = call.caller.account
        let posted = try await call.runner.together { runner in
            guard let name = try await runner.run(HoldAuthor(store: store)).first else { throw Problem.unauthenticated }
            return try await runner.run(PostBulletin(store: store, name: name, id: .new(), form: form)).first
        }
        guard let posted else { throw Problem.unauthenticated }
        if let same = posted.remark.same { throw Problem.publishedAlready(same) }
        guard let bulletin = posted.item else { throw Problem.tooManyBulletins(nextIn: posted.remark.secondsLeft) }
        return bulletin.response(.created)
    }

    private func isStillThere(_ call: Call, _ told: JSON) async throws -> Bool {
        guard let id = told.toldID else { return true }
        return try await !call.run(FindBulletin(account: call.caller.account, id: id)).isEmpty
    }

    private func delete(_ call: Call) async throws -> Response {
        let removal = RemoveBulletin(store: call.caller.account, id: try call.request.parameter("id"))
        guard try await !call.run(removal).isEmpty else { throw Problem.notFound }
        return Response(.noContent)
    }
}

extension Problem {
    static let alreadyPublished = Problem(.conflict, "already_published")

    /// It stands there already, under that id.
    static func publishedAlready(_ id: ID) -> Problem {
        var problem = alreadyPublished
        problem.id = id.description
        return problem
    }

    /// A store has told enough for a day, which ends in so many seconds.
    static func tooManyBulletins(nextIn seconds: Int) -> Problem {
        Problem(
            .tooManyRequests, "rate_limited", wording: "too_many_bulletins",
            arguments: ["max": "\(Bounds.bulletinsADay)"], headers: [Response.Header("Retry-After", String(seconds))])
    }
}
