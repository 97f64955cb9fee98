import API
import Deliveries
import Domain
import HTTP
import Postgres

extension TrackedDelivery {
    static let shape = Shape.object(
        "Tracking",
        [
            .init("store", .object("TrackedStore", [.init("name", .string()), .init("phone", .string())])),
            .init("status", .oneOf(DeliveryStatus.allCases.map(\.rawValue), named: "DeliveryStatus")),
            .init("state", .oneOf(State.allCases.map(\.rawValue), named: "TrackingState")), .init("text", .string()),
            .init("due_at", Shape.time.orNull),
            .init("courier", Shape.object("TrackedCourier", [.init("first_name", .string())]).orNull),
            .init("is_next", Shape.boolean.orNull), .init("nearby", .boolean), .init("eta", eta.orNull),
            .init(
                "position",
                Shape.object(
                    "TrackedPosition", [.init("lat", .number), .init("lon", .number), .init("at", .time)]
                ).orNull),
            .init(
                "recipient",
                .object("TrackedRecipient", [.init("street", .string()), .init("location", Location.written.orNull)])),
            .init("pin", Shape.string().orNull), .init("picked_up_at", Shape.time.orNull),
            .init("delivered_at", Shape.time.orNull), .init("cancelled_at", Shape.time.orNull),
            .init("received_by", Shape.string().orNull),
            .init(
                "last_attempt",
                Shape.object(
                    "TrackedAttempt",
                    [
                        .init("at", .time),
                        .init("reason", .oneOf(FailReason.allCases.map(\.rawValue), named: "FailReason")),
                    ]
                ).orNull),
            .init("wishes_left", .integer(0...Bounds.wishes)), .init("may_rate", .boolean),
            .init("stars", Shape.integer(1...5).orNull), .init("expires_at", Shape.time.orNull),
        ])

    func write(_ json: inout JSONWriter, in language: Language) {
        json.object("store") { json in
            json.field("name", storeName)
            json.field("phone", storePhone)
        }
        json.field("status", status.rawValue)
        json.field("state", state.rawValue)
        json.field("text", TrackingWords(language).text(self))
        json.field("due_at", due)
        if let courier {
            json.object("courier") { $0.field("first_name", courier) }
        } else {
            json.field("courier", String?.none)
        }
        if let stopsBefore { json.field("is_next", stopsBefore == 0) } else { json.field("is_next", String?.none) }
        json.field("nearby", isNearby)
        writeArrival(&json)
        if let position {
            json.object("position") { json in
                json.field("lat", position.place.lat)
                json.field("lon", position.place.lon)
                json.field("at", position.at)
            }
        } else {
            json.field("position", String?.none)
        }
        json.object("recipient") { json in
            json.field("street", street)
            json.field("location", location)
        }
        json.field("pin", pin)
        json.field("picked_up_at", times.pickedUp)
        json.field("delivered_at", times.delivered)
        json.field("cancelled_at", times.cancelled)
        json.field("received_by", receivedBy)
        if let attempt {
            json.object("last_attempt") { json in
                json.field("at", attempt.at)
                json.field("reason", attempt.reason.rawValue)
            }
        } else {
            json.field("last_attempt", String?.none)
        }
        json.field("wishes_left", mayWish ? wishesLeft : 0)
        json.field("may_rate", mayRate)
        if let stars { json.field("stars", stars) } else { json.field("stars", String?.none) }
        json.field("expires_at", expires)
    }

    /// How far it is tells where its courier is, and so is told with that alone.
    private static let eta = Shape.object(
        "TrackedArrival",
        [
            .init("at", .time), .init("distance_m", Shape.count.orNull), .init("by", Arrival.sourceShape),
            .init("computed_at", .time),
        ])

    private func writeArrival(_ json: inout JSONWriter) {
        guard let arrival else { return json.field("eta", String?.none) }
        json.object("eta") { json in
            json.field("at", arrival.at)
            if position == nil {
                json.field("distance_m", String?.none)
            } else {
                json.field("distance_m", Int(arrival.meters.rounded()))
            }
            json.field("by", arrival.isByRouter ? "router" : "straight")
            json.field("computed_at", arrival.computedAt)
        }
    }

    /// The whole of it as JSON.
    func bytes(in language: Language) -> [UInt8] {
        var json = JSONWriter()
        json.object { write(&$0, in: language) }
        return json.bytes
    }
}
