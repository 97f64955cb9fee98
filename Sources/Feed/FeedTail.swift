import API
import Domain
import EventLoop

/// Wakes those who wait for news in a feed.
///
/// It knows only that there is news, which the database announces whenever events get their numbers. Everybody reads
/// the events themselves from the database.
package final class FeedTail: Sendable {
    private let group: EventLoopGroup
    private let waiting: LoopLocal<Waiting<AccountMark>>

    package init(on group: EventLoopGroup) async throws {
        self.group = group
        waiting = try await LoopLocal(group) { Waiting<AccountMark>(on: $0) }
    }

    /// Begins to listen to an account's feed on this loop. A reader that listens before it reads misses nothing.
    package func listen(to account: ID) -> Listener<AccountMark> {
        guard let waiting = waiting.current else { preconditionFailure("feeds are read on the loops") }
        return waiting.listen(to: AccountMark(of: account))
    }

    /// Wakes those who wait for these accounts, as `number_events` announces them.
    package func wake(_ announced: String) {
        let marks = AccountMark.all(in: announced)
        onEachLoop { $0.wake(marks) }
    }

    /// Wakes everybody, because something may have been missed.
    package func wakeEverybody() {
        onEachLoop { $0.wakeAll() }
    }

    /// Ends all waiting, now and from now on.
    package func stop() async {
        await waiting.onEach { $0.stop() }
    }

    private func onEachLoop(_ work: @escaping @Sendable (Waiting<AccountMark>) -> Void) {
        for loop in group.loops {
            loop.execute { [waiting] in
                if let waiting = waiting.current { work(waiting) }
            }
        }
    }
}

/// The end of an account's id, which announces it. If two accounts share one, somebody is woken in vain.
package struct AccountMark: Hashable, Sendable {
    private let end: UInt64

    private static let digits = 12

    init(of account: ID) {
        end = account.low & 0xffff_ffff_ffff
    }

    private init?(_ text: some StringProtocol) {
        guard let end = UInt64(text, radix: 16) else { return nil }
        self.end = end
    }

    /// The marks in an announcement, one behind the other.
    static func all(in announced: String) -> Set<AccountMark> {
        var (marks, rest) = (Set<AccountMark>(), announced[...])
        while !rest.isEmpty {
            if let mark = AccountMark(rest.prefix(digits)) { marks.insert(mark) }
            rest = rest.dropFirst(digits)
        }
        return marks
    }
}
