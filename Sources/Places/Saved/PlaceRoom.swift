import API
import Domain
import HTTP
import People
import Postgres

/// The places that an account keeps.
package struct PlaceRoom: Room {
    package init() {}

    static let name = "Places"

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/places", for: .signedIn, "The places that one keeps, in one's own order", room: Self.name,
                query: Endpoint.Parameter.list, answers: [.ok(Self.page)], handler: list),
            Endpoint(
                .post, "/v1/places", for: .signedIn, "Keeps a place", room: Self.name, takes: NewPlace.self,
                answers: [.created(Place.shape)], refuses: [.placeExists, .tooManyPlaces], stillSeen: isKept,
                handler: add),
            Endpoint(
                .patch, "/v1/places/{id}", for: .signedIn, "Changes a place", room: Self.name,
                takes: ChangedPlace.self, answers: [.ok(Place.shape)], refuses: [.notFound, .placeExists],
                handler: change),
            Endpoint(
                .delete, "/v1/places/{id}", for: .signedIn, "Forgets a place", room: Self.name,
                answers: [.noContent], refuses: [.notFound], handler: delete),
            Endpoint(
                .put, "/v1/places/order", for: .signedIn, "Puts the places in another order, which names each once",
                room: Self.name, takes: PlaceOrder.self, answers: [.noContent], handler: order),
            Endpoint(
                .put, "/v1/places/selected", for: .signedIn, "Chooses a place, or null: where one is",
                room: Self.name, takes: SelectedPlace.self, answers: [.ok(.object("PlaceSelection", [Self.selected]))],
                refuses: [.notFound], handler: select),
        ]
    }

    private static let selected = Shape.Member("selected", Shape.id.orNull)
    private static let page = Shape.page(of: Place.shape, with: [selected])

    private func list(_ call: Call) async throws -> Response {
        let (page, account) = (try call.page(), call.caller.account)
        let places = try await call.run(ListPlaces(account: account, page: page))
        let selected = try await call.run(FindSelectedPlace(account: account)).first
        return page.response(places, key: { ["\($0.rank)", $0.id.description] }) { json in
            json.field("selected", selected)
        } write: { json, place in
            json.object(place.write)
        }
    }

    private func add(_ call: Call, _ form: NewPlace) async throws -> Response {
        let id = ID.new()
        let added = try await alone(call) { try await $0.run(AddPlace(call.caller.account, id, form)) }
        if let same = added?.same { throw Problem.keptAlready(same) }
        guard let rank = added?.rank else { throw Problem.tooManyPlaces }
        return Place(id, form, rank: rank).response(.created)
    }

    private func isKept(_ call: Call, _ told: JSON) async throws -> Bool {
        guard let id = told.toldID else { return true }
        return try await call.run(IsPlaceKept(account: call.caller.account, id: id)).first == true
    }

    private func change(_ call: Call, _ form: ChangedPlace) async throws -> Response {
        let id: ID = try call.request.parameter("id")
        let changed = try await alone(call) {
            try await $0.run(ChangePlace(account: call.caller.account, id: id, form: form))
        }
        if let same = changed?.remark { throw Problem.keptAlready(same) }
        guard let place = changed?.item else { throw Problem.notFound }
        return place.response()
    }

    private func delete(_ call: Call) async throws -> Response {
        let id: ID = try call.request.parameter("id")
        let deleted = try await alone(call) { try await $0.run(DeletePlace(account: call.caller.account, id: id)) }
        guard deleted != nil else { throw Problem.notFound }
        return Response(.noContent)
    }

    private func order(_ call: Call, _ form: PlaceOrder) async throws -> Response {
        let isOrdered = try await alone(call) {
            try await $0.run(OrderPlaces(account: call.caller.account, ids: form.ids))
        }
        guard isOrdered == true else {
            throw Problem(
                .unprocessable, "validation_failed",
                fields: [Problem.WrongField("ids", InvalidValue.notEachOnce.code)])
        }
        return Response(.noContent)
    }

    private func select(_ call: Call, _ form: SelectedPlace) async throws -> Response {
        let isSelected = try await alone(call) {
            try await $0.run(SelectPlace(account: call.caller.account, id: form.id))
        }
        guard isSelected == true else { throw Problem.notFound }
        var json = JSONWriter()
        json.object { $0.field("selected", form.id) }
        return .json(json.bytes)
    }

    /// One change of an account's places comes after the other, and none after the account has begun to be erased.
    private func alone<Row: Sendable>(
        _ call: Call, _ change: @escaping @Sendable (Runner) async throws -> [Row]
    ) async throws -> Row? {
        try await call.runner.together { runner in
            guard try await runner.run(HoldAccount(account: call.caller.account)).first != nil else {
                throw Problem.unauthenticated
            }
            return try await change(runner).first
        }
    }
}

extension Problem {
    static let placeExists = Problem(.conflict, "place_exists")
    static let tooManyPlaces = Problem(.conflict, "too_many_places", arguments: ["max": "\(Bounds.places)"])

    /// The place is kept already, under that id.
    static func keptAlready(_ id: ID) -> Problem {
        var problem = placeExists
        problem.id = id.description
        return problem
    }
}
