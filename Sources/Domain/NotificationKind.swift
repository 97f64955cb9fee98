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
    /// Nobody has accepted it for a while.
    case deliveryUnaccepted = "delivery_unaccepted"
    case deliveryLate = "delivery_late"
    /// The store changed what its courier carries.
    case deliveryChanged = "delivery_changed"
    /// The store took it back from its courier.
    case deliveryReassigned = "delivery_reassigned"
    /// It is not delivered after all.
    case deliveryReopened = "delivery_reopened"
    /// It was brought in vain.
    case attemptFailed = "attempt_failed"
    /// How many offers wait, for a courier without a device.
    case offersWaiting = "offers_waiting"
    /// The latest message of a conversation.
    case messageReceived = "message_received"
    case partnerJoined = "partner_joined"
    /// The courier says why giving back should not count.
    case cancellationContested = "cancellation_contested"
    /// Giving back counts no more.
    case cancellationExcused = "cancellation_excused"
    /// A store tells its couriers what cannot wait.
    case bulletinPublished = "bulletin_published"
    /// To whom a delivery comes: where it can be followed.
    case recipientTracking = "recipient_tracking"
    case passwordReset = "password_reset"
    /// To the number or address that is to be proven.
    case confirmationCode = "confirmation_code"
    /// Somebody has signed in from where, or by what, nobody did before.
    case newDevice = "new_device"
    case passwordChanged = "password_changed"
    /// What one signs in with is another number or address.
    case loginChanged = "login_changed"
    case sessionEnded = "session_ended"
    /// The account is to be erased, unless somebody signs in to it again.
    case accountLeaving = "account_leaving"

    /// Whether it ever goes by SMS. `reach_of` in the database says when.
    public var goesBySMS: Bool {
        switch self {
        case .deliveryOffered, .deliveryAccepted, .deliveryDelivered, .deliveryReturned, .deliveryStranded,
            .deliveryUnaccepted, .deliveryLate, .deliveryChanged, .attemptFailed, .partnerJoined, .partnershipEnded,
            .messageReceived, .cancellationContested, .cancellationExcused, .bulletinPublished:
            false
        default: true
        }
    }
}
