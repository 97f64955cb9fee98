import API
import Domain
import Postgres

/// What an account itself knows of places that a text may mean.
struct PlaceSearch: Sendable {
    /// How many places are told.
    static let most = 10
    /// How many deliveries are looked at before the index is asked, and how many if that finds too many.
    private static let (glance, walk): (Int32, Int32) = (300, 2000)

    let account: ID
    let kind: AccountKind
    let text: String

    /// Its own places, and behind them recipients, but for those that are its own places, too.
    func run(_ runner: SlowRunner) async throws -> [FoundPlace] {
        let saved = try await runner.run(FindPlacesByWord(account: account, text: text))
        guard kind == .store, !text.isEmpty, saved.count < Self.most else { return saved }
        let known = Set(saved.map(\.sameness))
        return saved + (try await recipients(runner)).filter { !known.contains($0.sameness) }
    }

    /// The latest ones: of the last deliveries, if ten of these have the text, else of all that have it. If they are too many, it is
    /// those of a longer walk: who has got nothing since is found by one more word.
    private func recipients(_ runner: SlowRunner) async throws -> [FoundPlace] {
        let near = try await walk(Self.glance, runner)
        if near.found.count >= Self.most || near.walked < Self.glance { return near.found }
        let all = try await runner.run(FindRecipientsByWord(store: account, text: text))
        if all.first?.remark == false { return all.compactMap(\.item) }
        return try await walk(Self.walk, runner).found
    }

    private func walk(_ most: Int32, _ runner: SlowRunner) async throws -> (found: [FoundPlace], walked: Int64) {
        let rows = try await runner.run(WalkRecipients(store: account, text: text, most: most))
        return (rows.compactMap(\.item), rows.first?.remark ?? 0)
    }
}
