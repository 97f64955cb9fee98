import API
import Domain
import HTTP
import Postgres

extension OfferTurns {
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
    package static func write(_ turns: OfferTurns?, _ json: inout JSONWriter) {
        json.field("mode", modes[turns == nil ? 0 : 1])
        guard let turns else { return }
        json.field("order", turns.order.rawValue)
        json.field("each_seconds", turns.seconds)
    }

    /// Reads two columns, which are NULL where there are no turns.
    package static func read(_ row: inout RowReader) throws -> OfferTurns? {
        let (order, seconds): (String?, Int16?) = (try row.read(), try row.read())
        guard let order = order.flatMap(Order.init), let seconds else { return nil }
        return OfferTurns(order: order, seconds: Int(seconds))
    }
}

extension Fields {
    /// How couriers are offered something, if that is said: in turn, or all at once.
    package mutating func offer() -> OfferTurns?? {
        let turns = optionalObject("offer") { (fields: inout Fields) -> OfferTurns? in
            let mode = fields.choice("mode", OfferTurns.modes, named: "OfferMode", unless: OfferTurns.modes[0])
            let turns = OfferTurns(
                order: fields.optional("order") ?? .given,
                seconds: fields.optionalNumber("each_seconds", OfferTurns.bounds) ?? OfferTurns.usual)
            return mode == OfferTurns.modes[1] ? turns : nil
        }
        return isGiven("offer") ? .some(turns) : nil
    }

    /// The same of a change, where null is to all at once.
    package mutating func changedOffer() -> OfferTurns?? { erasable("offer") { $0.offer() ?? nil } }
}

extension OfferTurns.Order: TextFieldValue {
    package static let shape = Shape.oneOf(allCases.map(\.rawValue), named: "OfferOrder")
    package static var example: OfferTurns.Order { .given }
    package init(_ text: String) throws(InvalidValue) {
        guard let order = OfferTurns.Order(rawValue: text) else { throw InvalidValue("invalid_value") }
        self = order
    }
}
