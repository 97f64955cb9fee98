import API
import Domain
import HTTP
import Postgres

extension Turns {
    /// How couriers are offered something, in an answer.
    package static let shape = Shape.object(
        "DeliveryOffer",
        [
            .init("mode", .oneOf(modes, named: "OfferMode")),
            .init("order", .oneOf(Order.allCases.map(\.rawValue), named: "OfferOrder"), optional: true),
            .init("each_seconds", .integer(bounds), optional: true),
        ])
    fileprivate static let modes = ["all", "in_turn"]

    /// Writes it; nil is to all at once.
    package static func write(_ turns: Turns?, _ json: inout JSONWriter) {
        json.field("mode", modes[turns == nil ? 0 : 1])
        guard let turns else { return }
        json.field("order", turns.order.rawValue)
        json.field("each_seconds", turns.seconds)
    }

    /// Reads two columns, which are NULL where there are no turns.
    package static func read(_ row: inout RowReader) throws -> Turns? {
        let (order, seconds): (String?, Int16?) = (try row.read(), try row.read())
        guard let order = order.flatMap(Order.init), let seconds else { return nil }
        return Turns(order: order, seconds: Int(seconds))
    }
}

extension Fields {
    /// How couriers are offered something, if that is said: in turn, or all at once.
    package mutating func offer() -> Turns?? {
        let turns = optionalObject("offer") { (fields: inout Fields) -> Turns? in
            let mode = fields.choice("mode", Turns.modes, named: "OfferMode")
            let turns = Turns(
                order: fields.optional("order") ?? .given,
                seconds: fields.optionalNumber("each_seconds", Turns.bounds) ?? Turns.usual)
            return mode == Turns.modes[1] ? turns : nil
        }
        return isGiven("offer") ? .some(turns) : nil
    }

    /// The same of a change, where null is to all at once.
    package mutating func changedOffer() -> Turns?? { erasable("offer") { $0.offer() ?? nil } }
}

extension Turns.Order: TextFieldValue {
    package static let shape = Shape.oneOf(allCases.map(\.rawValue), named: "OfferOrder")
    package static var example: Turns.Order { .given }
    package init(_ text: String) throws(InvalidValue) {
        guard let order = Turns.Order(rawValue: text) else { throw InvalidValue("invalid_value") }
        self = order
    }
}
