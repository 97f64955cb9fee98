import Domain
import EventLoop
import HTTP
import Postgres
import Synchronization

/// Searches, over connections of their own: what takes long there holds up nobody else. Each account has two at once, and
/// a third ends the oldest, which as a rule was typed further meanwhile.
final class Searches: Sendable {
    private static let mostAtOnce = 2

    /// What a search is told that is ended.
    static let endedByAThird = Problem(
        .tooManyRequests, "rate_limited", wording: "too_many_searches", headers: [Response.Header("Retry-After", "1")])

    private let database: Database
    private let running = Mutex<(under: [ID: [Running]], number: Int)>(([:], 0))

    private struct Running {
        let number: Int
        let end: @Sendable () -> Void
    }

    init(_ database: Database) { self.database = database }

    /// Does the search, on the calling task's loop.
    func search<Answer: Sendable>(
        for account: ID, _ search: @escaping @Sendable (Runner) async throws -> Answer
    ) async throws -> Answer {
        let task = Task(executorPreference: EventLoop.current) { [database] in try await search(.database(database)) }
        let number = enter(account) { task.cancel() }
        defer { leave(account, number) }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where !Task.isCancelled {
            throw Self.endedByAThird
        }
    }

    private func enter(_ account: ID, end: @escaping @Sendable () -> Void) -> Int {
        let (number, oldest) = running.withLock { running in
            running.number += 1
            running.under[account, default: []].append(Running(number: running.number, end: end))
            let isTooMany = running.under[account]!.count > Self.mostAtOnce
            return (running.number, isTooMany ? running.under[account]!.removeFirst() : nil)
        }
        oldest?.end()
        return number
    }

    private func leave(_ account: ID, _ number: Int) {
        running.withLock { running in
            running.under[account]?.removeAll { $0.number == number }
            if running.under[account]?.isEmpty == true { running.under[account] = nil }
        }
    }
}

/// How a search goes about a page of a list: in a few steps, each of which looks at a bounded number of things.
struct SearchSteps<Item: Sendable>: Sendable {
    /// What was found, and where to go on if there may be more behind it although the page is not full.
    typealias Found = (items: [Item], edge: [String]?)
    /// So many show whether what is looked for is frequent.
    private static var glance: Int32 { 16 }
    /// So many are looked at in a row.
    static var most: Int32 { 1000 }
    /// So many are brought into the list's order at most.
    static var mostHits: Int32 { 2000 }
    /// Whether one of the words `w` is `asked` for: as a function, since what is walked through is known already, and
    /// not to be found by the index of words.
    static var matches: String { "ts_match_vq(w.words, (SELECT words FROM asked))" }

    /// Looks at so many in the order of the list.
    let walk: @Sendable (_ most: Int32) async throws -> Found
    /// All of them by the index of words; nil when there are too many to sort.
    let hits: @Sendable () async throws -> [Item]?

    /// A page of so many. Rare words are few, and all of them are sorted. Those that a glance at the beginning of the list
    /// shows to be frequent fill the page from there, without asking the index for all of them; and between those the list
    /// is walked on, page by page.
    func page(of count: Int32) async throws -> Found {
        let glance = try await walk(min(Self.glance, count))
        guard glance.edge != nil, glance.items.count < count else { return glance }
        if glance.items.count >= Self.glance / 4 {
            let near = try await walk(min(8 * count, Self.most))
            if near.items.count >= count || near.edge == nil { return near }
        }
        if let hits = try await hits() { return (hits, nil) }
        return try await walk(Self.most)
    }
}

/// A row that may have nothing but a remark on what was looked at.
struct Remarked<Remark: Sendable, Item: Sendable>: Sendable {
    let remark: Remark
    let item: Item?

    /// Reads the item behind the remark, unless its first column is NULL.
    init(_ remark: Remark, _ row: inout RowReader, item: (inout RowReader) throws -> Item) throws {
        self.remark = remark
        self.item = row.isNextNull() ? nil : try item(&row)
    }
}
