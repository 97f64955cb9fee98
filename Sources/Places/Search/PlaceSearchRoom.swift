import API
import Domain
import HTTP
import Services

/// Completes what somebody types into the address of a delivery, or of a place.
package struct PlaceSearchRoom: Room {
    private let searches: SlowReads
    private let throttle: Throttle
    private let geocoder: Geocoder?

    package init(searches: SlowReads, throttle: Throttle, geocoder: Geocoder?) {
        (self.searches, self.throttle, self.geocoder) = (searches, throttle, geocoder)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/places/search", for: .signedIn,
                "The places that a text may mean: one's own, a store's recipients, and what the geocoder knows",
                room: PlaceRoom.name,
                query: [
                    .init(
                        name: "q", shape: .string(most: Bounds.search),
                        what: """
                            Words, each of which must begin a word of the name or address, regardless of case and \
                            accents; or digits of the phone number. Without it, one's own places.
                            """),
                    .near("Where it probably is: lat,lon."),
                    .init(name: "own", shape: .boolean, what: "true: without the geocoder, which then learns nothing."),
                ], answers: [.ok(Self.shape)], throttledBy: Self.pace, handler: search)
        ]
    }

    private static let shape = Shape.object(
        "FoundPlaces",
        [
            .init("items", .array(FoundPlace.shape, most: PlaceSearch.most)),
            .init("geocoder", Shape.oneOf(["unavailable"]).orNull),
        ])

    /// Two a second is as fast as anybody types.
    private static func pace(_ call: Call) -> [Throttle.Bucket] {
        [Throttle.Bucket("places of", call.caller.account.description, burst: 60, step: .milliseconds(500))]
    }

    private func search(_ call: Call) async throws -> Response {
        let text = try call.request.text("q", upTo: Bounds.search) ?? ""
        let (near, isOwn) = (
            try call.request.location("near"), try call.request.flag("own") ?? false
        )
        let search = PlaceSearch(account: call.caller.account, kind: call.caller.kind, text: text)
        var found = try await searches.run(for: call.caller.account) { try await search.run($0) }
        var isUnavailable = false
        let question = AddressQuestion(text, near: near, in: call.caller.language)
        if let geocoder, !isOwn, question.isWorthAsking, found.count < PlaceSearch.most {
            let addresses = try await addresses(question, geocoder, call)
            found += (addresses ?? []).map { FoundPlace($0) }
            isUnavailable = addresses == nil
        }
        var json = JSONWriter()
        json.object { json in
            json.array("items", found.prefix(PlaceSearch.most)) { json, place in json.object(place.write) }
            json.field("geocoder", isUnavailable ? "unavailable" : nil)
        }
        return .json(json.bytes)
    }

    /// What the geocoder knows; nil if it does not say so, or if the account has asked it enough.
    private func addresses(_ question: AddressQuestion, _ geocoder: Geocoder, _ call: Call) async throws
        -> [FoundAddress]?
    {
        if let known = geocoder.known(question) { return known }
        let asked = Throttle.Bucket(
            "geocoder of", call.caller.account.description, burst: 40, step: .seconds(3))
        guard try await throttle.wait(for: [asked]) == nil else { return nil }
        return await geocoder.find(question)
    }
}
