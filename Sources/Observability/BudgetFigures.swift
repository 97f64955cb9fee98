import Postgres

/// How much is used of the budgets of SMS, for alarms.
struct BudgetFigures: Sendable {
    let kind: String
    let used: Double

    /// Writes the figures of all budgets.
    static func write(_ budgets: [BudgetFigures], _ text: inout MetricsText) {
        text.metric(
            "kurir_sms_budget_used_ratio", .gauge,
            "How much is used of the budget for SMS of all, and of the fullest ones of a store and to a number: 1 is all."
        )
        for budget in budgets { text.sample("kurir_sms_budget_used_ratio", [("budget", budget.kind)], budget.used) }
    }
}

/// The fullest budget of each kind, the same on every node.
struct ReadBudgetFigures: Statement {
    static let sql = """
        SELECT b.kind, greatest(0, coalesce(extract(epoch FROM s.drained_at - now()) / b.seconds, 0))::float8
        FROM trust, LATERAL (VALUES
            ('all', sms_in_all, 3600), ('store', sms_of_store, 86400), ('own', sms_to_number, 86400),
            ('stranger', sms_to_number, 86400)) AS b(kind, burst, seconds)
        LEFT JOIN LATERAL (
            SELECT max(drained_at) AS drained_at FROM sms_budgets s WHERE s.kind = b.kind AND b.burst IS NOT NULL) s ON true
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> BudgetFigures {
        BudgetFigures(kind: try row.read(), used: try row.read())
    }
}
