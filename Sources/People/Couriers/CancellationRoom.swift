import API
import Domain
import HTTP
import Postgres

/// The deliveries that couriers gave back, and what they and their stores say of that afterwards.
package struct CancellationRoom: Room {
    package init() {}

    package let eventTypes = ["cancellation.contested", "cancellation.excused"]

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/couriers/{id}/cancellations", for: .signedIn,
                "A courier's cancellations, with time and reason; a courier may read only its own", room: "Couriers",
                query: Endpoint.Parameter.list, answers: [.ok(.page(of: Cancellation.shape))], handler: list),
            Endpoint(
                .post, "/v1/cancellations/{id}/contest", for: .courier,
                "Says why a cancellation should not count, once, within \(ContestCancellation.days) days",
                room: "Couriers", takes: ContestForm.self, answers: [.ok(Cancellation.shape)],
                refuses: [.alreadyContested, .alreadyExcused, .contestedTooLate], stillSeen: isStillSaid,
                handler: contest),
            Endpoint(
                .post, "/v1/cancellations/{id}/excuse", for: .store,
                "Excuses a cancellation, which then counts no more; the courier still cannot accept that delivery",
                room: "Couriers", answers: [.ok(Cancellation.shape)], stillSeen: isStillSaid, handler: excuse),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let courier: ID = try call.request.parameter("id")
        let caller = call.caller
        guard caller.kind == .store || caller.account == courier,
            try await call.run(CourierExists(courier: courier)).first == true
        else { throw Problem.notFound }
        let page = try call.page()
        let cancellations = try await call.run(ListCancellations(courier: courier, page: page))
        return page.response(cancellations, key: { [$0.id.description] }) { json, cancellation in
            json.object { cancellation.write(&$0, for: caller.account) }
        }
    }

    private func contest(_ call: Call, _ form: ContestForm) async throws -> Response {
        let contested = try await call.run(ContestCancellation(cancellation: try await find(call), note: form.note))
        let cancellation = try await find(call)
        guard contested.isEmpty else { return answer(cancellation, call) }
        switch cancellation.state {
        case .contested: throw Problem.alreadyContested
        case .excused: throw Problem.alreadyExcused
        case .counted: throw Problem.contestedTooLate
        }
    }

    private func excuse(_ call: Call) async throws -> Response {
        try await call.run(ExcuseCancellation(cancellation: try await find(call)))
        return answer(try await find(call), call)
    }

    /// Whoever is erased takes what it wrote along.
    private func isStillSaid(_ call: Call, _ told: JSON) async throws -> Bool {
        guard case .object(let members) = told else { return false }
        let now = try await find(call)
        var said = members["contest"]
        if case .object(let contest) = said { said = contest["note"] }
        return [(members["note"], now.note), (said, now.contest?.note)].allSatisfy { told, now in
            now != nil || told == nil || told == .null
        }
    }

    /// The one that is meant, as it is now.
    private func find(_ call: Call) async throws -> Cancellation {
        let find = FindCancellation(id: try call.request.parameter("id"), account: call.caller.account)
        guard let found = try await call.run(find).first else { throw Problem.notFound }
        return found
    }

    private func answer(_ cancellation: Cancellation, _ call: Call) -> Response {
        var json = JSONWriter()
        json.object { cancellation.write(&$0, for: call.caller.account) }
        return .json(json.bytes)
    }
}

/// Why a cancellation should not count.
struct ContestForm: Form {
    let note: String

    init(_ fields: inout Fields) {
        note = fields.line("note", upTo: Bounds.reason, by: Texts.paragraph)
    }
}

extension Problem {
    fileprivate static let alreadyContested = Problem(.conflict, "already_contested")
    fileprivate static let alreadyExcused = Problem(.conflict, "already_excused")
    fileprivate static let contestedTooLate = Problem(.conflict, "contested_too_late")
}
