import Domain
import EventLoop

/// What a node remembers of sessions, for each loop separately.
package final class SessionMemory: Sendable {
    private let group: EventLoopGroup
    private let loops: LoopLocal<LoopSessions>

    package init(on group: EventLoopGroup) async throws {
        self.group = group
        loops = try await LoopLocal(group) { _ in LoopSessions() }
    }

    /// The memory of the calling loop.
    var ofThisLoop: LoopSessions? { loops.current }

    /// Forgets an account's sessions on every loop, and returns when that is done.
    func forget(_ account: ID) async {
        await loops.onEach { $0.forget(account) }
    }

    /// Forgets, soon, the sessions of an account that the database announced.
    package func forget(_ announced: String) {
        guard let account = ID(announced) else { return }
        for loop in group.loops {
            loop.execute { [loops] in loops.current?.forget(account) }
        }
    }
}

/// What one loop remembers of sessions.
///
/// Unchecked, because all of it happens on the loop's thread.
final class LoopSessions: @unchecked Sendable {
    /// A session in use must be looked up in the database now and then, or it would expire.
    private static let span = Duration.seconds(60)
    private static let most = 10_000

    /// Increases whenever something is forgotten: what was looked up before may be outdated.
    private(set) var epoch = 0
    private var known: [TokenHash: Known] = [:]

    private struct Known {
        let caller: Caller
        /// The ear's connection that would have announced its end.
        let mark: Int
        let until: Instant
    }

    func recall(_ hash: TokenHash, heard mark: Int, at now: Instant) -> Caller? {
        guard let known = known[hash], known.mark == mark, now < known.until else { return nil }
        return known.caller
    }

    func remember(_ hash: TokenHash, _ caller: Caller, heard mark: Int, at now: Instant) {
        if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
        known[hash] = Known(caller: caller, mark: mark, until: now + Self.span)
    }

    func forget(_ account: ID) {
        epoch += 1
        known = known.filter { $0.value.caller.account != account }
    }
}
