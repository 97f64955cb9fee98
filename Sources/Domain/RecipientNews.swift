/// What the recipient of a delivery is told of a step.
public enum RecipientNews: String, CaseIterable, ReasonWords {
    case pickedUp = "picked_up"
    case delivered
    case failed

    /// What a step is to the recipient; nil when it is nothing to tell.
    public init?(_ action: Lifecycle.Action) {
        switch action {
        case .pickUp: self = .pickedUp
        case .deliver: self = .delivered
        case .fail: self = .failed
        default: return nil
        }
    }

    /// What pages call it.
    public var word: String { "track_sms_\(rawValue)" }
}
