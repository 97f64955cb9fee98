import API
import Domain
import HTTP

/// The lifecycle's table as data.
enum LifecycleView {
    static let shape = Shape.object(
        "Lifecycle",
        [
            .init("states", .array(StoredDelivery.statusShape)),
            .init(
                "transitions",
                .array(
                    .object(
                        "LifecycleTransition",
                        [
                            .init("state", StoredDelivery.statusShape.orNull), .init("action", action),
                            .init("actor", actor), .init("next_state", StoredDelivery.statusShape),
                            .init("refusals", .array(refusal)),
                        ]))),
            .init("refusals", .array(refusal)),
        ])
    private static let action = Shape.oneOf(Lifecycle.Action.allCases.map(\.rawValue), named: "LifecycleAction")
    private static let actor = Shape.oneOf(Lifecycle.Standing.allCases.map(\.rawValue), named: "LifecycleActor")
    private static let refusal = Shape.object(
        "LifecycleRefusal",
        [
            .init("state", StoredDelivery.statusShape), .init("action", action), .init("actor", actor),
            .init("code", .string()),
        ])

    static let response: Response = {
        var json = JSONWriter()
        json.object { json in
            json.array("states", DeliveryStatus.allCases) { $0.item($1.rawValue) }
            json.array("transitions", Lifecycle.rules) { json, rule in write(transition: rule, &json) }
            json.array("refusals", Lifecycle.rules) { json, rule in write(refusal: rule, &json) }
        }
        return .json(json.bytes)
    }()

    private static func write(transition rule: Lifecycle.Rule, _ json: inout JSONWriter) {
        let next: DeliveryStatus
        switch rule.outcome {
        case .becomes(let status, _): next = status
        // Repeating a step that is done already leaves the delivery as it is.
        case .stays: next = rule.status ?? .pending
        case .refused: return
        }
        json.object { json in
            json.field("state", rule.status?.rawValue)
            json.field("action", rule.action.rawValue)
            json.field("actor", rule.standing.rawValue)
            json.field("next_state", next.rawValue)
            json.array("refusals", Lifecycle.rules.filter { $0.action == rule.action }) { json, other in
                write(refusal: other, &json)
            }
        }
    }

    private static func write(refusal rule: Lifecycle.Rule, _ json: inout JSONWriter) {
        guard case .refused(let refusal) = rule.outcome, let status = rule.status else { return }
        json.object { json in
            json.field("state", status.rawValue)
            json.field("action", rule.action.rawValue)
            json.field("actor", rule.standing.rawValue)
            json.field("code", refusal.rawValue)
        }
    }
}
