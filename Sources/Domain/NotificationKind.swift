/// What a message of the outbox tells.
public enum NotificationKind: String, CaseIterable, Sendable {
    case deliveryOffered = "delivery_offered"
    case deliveryCancelled = "delivery_cancelled"
    case invite
    case partnershipEnded = "partnership_ended"
    case deliveryAccepted = "delivery_accepted"
    case deliveryDelivered = "delivery_delivered"
    case deliveryReturned = "delivery_returned"
    /// No candidate is left.
    case deliveryStranded = "delivery_stranded"
    case partnerJoined = "partner_joined"
    case passwordReset = "password_reset"

    /// Whether it ever goes by SMS. `reach_of` in the database says when.
    public var goesBySMS: Bool {
        switch self {
        case .deliveryOffered, .deliveryAccepted, .deliveryDelivered, .deliveryReturned, .deliveryStranded,
            .partnerJoined, .partnershipEnded:
            false
        default: true
        }
    }
}
