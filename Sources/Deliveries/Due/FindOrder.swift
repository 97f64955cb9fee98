import API
import Domain
import Postgres

/// Finds the order of couriers' turns as it is now: whoever is off duty comes last. The nearest are those whose fresh place is nearest
/// to where it is fetched, and then the others; who is equal comes as it was given.
struct FindOrder: Statement {
    static let sql = """
        SELECT p.id FROM unnest($1::uuid[]) WITH ORDINALITY AS p(id, no), LATERAL (
            SELECT shortfall, duty_now(on_duty, duty_until) AS is_on FROM couriers k WHERE k.id = p.id OFFSET 0) k
            LEFT JOIN LATERAL (SELECT lat, lon FROM stores WHERE id = $3 OFFSET 0) s ON $3 IS NOT NULL
            LEFT JOIN LATERAL (
                SELECT distance_m(lat, lon, coalesce($4, s.lat), coalesce($5, s.lon)) AS meters FROM positions
                WHERE courier_id = p.id AND at >= now() - interval '\(Fix.freshness) seconds' OFFSET 0) at ON $3 IS NOT NULL
        ORDER BY NOT k.is_on, CASE WHEN $2::boolean THEN k.shortfall END, at.meters, p.no
        """
    static let isReadOnly = true
    private let candidates: [ID]
    private let turns: OfferTurns?
    private let store: ID
    private let pickup: Location?

    /// The order of these candidates for what a store has delivered.
    init(of candidates: [ID], _ content: DeliveryContent, by store: ID) {
        (self.candidates, turns, self.store) = (candidates, content.terms.turns, store)
        pickup = content.terms.pickup?.location
    }

    /// The order, by `find`, which is asked only where there are turns.
    func run(_ find: (FindOrder) async throws -> [ID]) async throws -> [ID] {
        turns == nil ? [] : try await find(self)
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(candidates)
        parameters.add(turns?.order == .reliable)
        // Where it is fetched matters to the nearest alone.
        parameters.add(turns?.order == .nearest ? store : nil)
        parameters.add(pickup?.lat)
        parameters.add(pickup?.lon)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

extension StepCommand {
    /// The same now, with the order in which the candidates of a delivery have turns, by `find`.
    func inOrder(_ delivery: Delivery, _ find: (FindOrder) async throws -> [ID]) async throws -> StepCommand {
        var command = self
        command.at = .now
        command.order = try await FindOrder(
            of: edit.map(delivery.candidates(after:)) ?? delivery.candidates, edit?.content ?? delivery.content,
            by: delivery.store
        ).run(find)
        return command
    }
}
