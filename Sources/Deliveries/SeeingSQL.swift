/// What is seen of deliveries besides what `Lifecycle` says: conditions that the statements share.
package enum SeeingSQL {
    /// Whether a courier sees a delivery in that status by its partnership `p`: nobody sees what a store offers that is off.
    static func shows(_ status: String) -> String {
        "NOT p.courier_off AND NOT (p.store_off AND \(status) = 'pending')"
    }

    /// Whether one of these couriers wants offers now. The first who does ends the search.
    static func isAnybodyOnDuty(_ people: String, where condition: String = "true") -> String {
        """
        EXISTS (SELECT FROM unnest(\(people)) AS person, LATERAL (
            SELECT FROM couriers k WHERE k.id = person AND duty_now(k.on_duty, k.duty_until) OFFSET 0) k
            WHERE \(condition))
        """
    }

    /// Whether the recipient of `d` is forgotten, although perhaps nobody has erased it yet.
    /// What ended today is not, and needs no look at what the operator has set.
    package static let isPast = """
        coalesce(coalesce(d.delivered_at, d.cancelled_at) < now() - interval '1 day' AND coalesce(d.delivered_at, d.cancelled_at)
            < (SELECT now() - make_interval(days => recipient_days) FROM trust WHERE only_one), false)
        """
}
