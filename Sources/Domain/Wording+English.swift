extension Language {
    /// English.
    public static let english = Language(wordedAs: "en")
}

extension Wording {
    static let english = Words(.english, plural: { $0 == 1 ? 0 : 1 }) { kind in
        switch kind {
        case .deliveryOffered:
            MessageTemplate(
                "New delivery", "[{store} has a delivery for you|There is a new delivery for you][: {address}|.]")
        case .deliveryCancelled:
            MessageTemplate(
                "Delivery cancelled",
                """
                [{store} has cancelled delivery {reference}|Delivery {reference} has been cancelled\
                |{store} has cancelled a delivery ({description})|{store} has cancelled a delivery\
                |A delivery has been cancelled]. \
                Please do not deliver it[. Reason: {reason}|.]
                """
            )
        case .invite:
            MessageTemplate(
                "Invitation to deliver",
                "[{store} invites you to deliver for them|You are invited to deliver][: {url}|.][ Code: {code}]"
            )
        case .partnershipEnded:
            MessageTemplate(
                "Partnership ended",
                "[{store}|A store] has ended your partnership. You will no longer see their deliveries."
            )
        case .deliveryAccepted:
            MessageTemplate(
                "Delivery accepted",
                """
                [{courier} has accepted delivery {reference}|Delivery {reference} has been accepted\
                |{courier} has accepted the delivery to {address}|{courier} has accepted your delivery\
                |The delivery to {address} has been accepted|Your delivery has been accepted].
                """
            )
        case .deliveryDelivered:
            MessageTemplate(
                "Delivered",
                "[Delivery {reference}|The delivery to {address}|Your delivery] has been delivered[ by {courier}]."
            )
        case .deliveryReturned:
            MessageTemplate(
                "Delivery returned",
                """
                [{courier} has given back delivery {reference}|Delivery {reference} has been given back\
                |{courier} has given back the delivery to {address}|{courier} has given back your delivery\
                |The delivery to {address} has been given back|Your delivery has been given back]. \
                It is pending again[. Reason: {reason}|.]
                """
            )
        case .deliveryStranded:
            MessageTemplate(
                "No courier left",
                "[Delivery {reference}|The delivery to {address}|A delivery] has no courier left. Choose others or cancel it."
            )
        case .partnerJoined:
            MessageTemplate("New partner", "[{courier}|A courier] is now your partner and can take your deliveries.")
        case .passwordReset:
            MessageTemplate(
                "New password",
                """
                Kurir: [your code for a new password is {code}. It is valid for {minutes} {minutes:minute,minutes}\
                |your code for a new password is {code}|a new password was requested]. \
                If this was not you, ignore this message.
                """
            )
        }
    }
}
