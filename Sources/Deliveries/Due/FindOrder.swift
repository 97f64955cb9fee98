import Domain
import Postgres

/// Finds the order of couriers' turns as it is now: whoever is off duty comes last. The nearest are those that come first as
/// they were given, as long as nobody knows where they are.
struct FindOrder: Statement {
    static let sql = """
        SELECT p.id FROM unnest($1::uuid[]) WITH ORDINALITY AS p(id, no), LATERAL (
            SELECT shortfall, duty_now(on_duty, duty_until) AS is_on FROM couriers k WHERE k.id = p.id OFFSET 0) k
        ORDER BY NOT k.is_on, CASE WHEN $2::boolean THEN k.shortfall END, p.no
        """
    static let isReadOnly = true
    private let candidates: [ID]
    private let turns: Turns?

    /// The order of these candidates for what is delivered.
    init(of candidates: [ID], _ content: DeliveryContent) {
        (self.candidates, turns) = (candidates, content.terms.turns)
    }

    /// The order, by `find`, which is asked only where there are turns.
    func run(_ find: (FindOrder) async throws -> [ID]) async throws -> [ID] {
        turns == nil ? [] : try await find(self)
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(candidates)
        parameters.add(turns?.order == .reliable)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

extension StepCommand {
    /// The same with the order in which the candidates of a delivery have turns, by `find`.
    func inOrder(_ delivery: Delivery, _ find: (FindOrder) async throws -> [ID]) async throws -> StepCommand {
        var command = self
        command.order = try await FindOrder(
            of: edit.map(delivery.candidates(after:)) ?? delivery.candidates, edit?.content ?? delivery.content
        ).run(find)
        return command
    }
}
