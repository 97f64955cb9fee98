extension Change {
    /// A notice that says what is no longer so: to one account, or to all.
    public struct Untruth: Equatable, Sendable {
        public let kind: NotificationKind
        public let account: ID?

        init(_ kind: NotificationKind, to account: ID? = nil) {
            (self.kind, self.account) = (kind, account)
        }
    }

    /// What people may have been told of the delivery, and is untrue now. What has happened once stays true: that it was accepted,
    /// given back or cancelled; but whoever was told not to deliver it, and carries it again, is to deliver it.
    public var untrue: [Untruth] {
        guard let before else { return [] }
        return untrueOffers(before) + untrueAlerts(before) + untrueOfItsCarry(before)
    }

    private func untrueOffers(_ before: Delivery) -> [Untruth] {
        let offered = before.offered
        guard !offered.isEmpty else { return [] }
        let left = Set(after.offered)
        return offered.filter { !left.contains($0) }.map { Untruth(.deliveryOffered, to: $0) }
    }

    /// That it waits for somebody: for candidates, for one who accepts, or for its courier.
    private func untrueAlerts(_ before: Delivery) -> [Untruth] {
        var untrue: [Untruth] = []
        if before.isStranded, !after.isStranded { untrue.append(Untruth(.deliveryStranded)) }
        if before.status == .pending, after.status != .pending { untrue.append(Untruth(.deliveryUnaccepted)) }
        guard let due = before.content.window?.until else { return untrue }
        if before.status.isOpen, !after.status.isOpen || after.content.window?.until != due {
            untrue.append(Untruth(.deliveryLate))
        } else if let courier = before.courier, after.courier != courier {
            untrue.append(Untruth(.deliveryLate, to: courier))
        }
        return untrue
    }

    /// What concerns whoever carries it, and that it has arrived.
    private func untrueOfItsCarry(_ before: Delivery) -> [Untruth] {
        guard before.courier != after.courier || before.status != after.status else { return [] }
        switch before.status {
        case .inProgress:
            let failed = before.course.attempts > 0 ? [Untruth(.attemptFailed)] : []
            return failed + [Untruth(.deliveryChanged), Untruth(.deliveryReopened)]
        case .delivered: return [Untruth(.deliveryDelivered)]
        case .pending: return after.courier.map { [Untruth(.deliveryReassigned, to: $0)] } ?? []
        case .cancelled: return []
        }
    }
}
