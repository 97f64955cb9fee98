import API
import Domain
import EventLoop
import HTTP

/// Reads papers on a thread of low priority, a few in a turn. Accounts take turns: what hostile codes cost, they cost nobody but who
/// sends them, and whoever reads much waits behind itself.
package final class PaperReader: Sendable {
    /// How many papers are read in a turn.
    static let atOnce = 8
    /// How many bytes of papers may wait, of one account and of all.
    private static let (mostOfOne, most) = (16 << 20, 256 << 20)

    let thread: BlockingPool
    private let waiting = Locked(PaperTurns(mostOfOne: mostOfOne, most: most))

    package init() throws {
        // There is always room for a turn that may wait.
        let turns = Self.most / PaperTurns.leastBytes + 1
        thread = try BlockingPool(name: "papers", threads: 1, waiting: turns, priority: .background)
    }

    /// Reads papers, each by itself. What is read holds so many bytes meanwhile.
    func read<Paper: Sendable, Answer: Sendable>(
        _ papers: [Paper], of bytes: Int, for account: ID, _ read: @escaping @Sendable (Paper) throws -> Answer
    ) async throws -> [Answer] {
        var answers: [Answer] = []
        for start in stride(from: 0, to: papers.count, by: Self.atOnce) {
            let some = papers[start..<min(start + Self.atOnce, papers.count)]
            answers += try await turn(of: account, bytes) { try some.map(read) }
        }
        return answers
    }

    private func turn<Answer: Sendable>(
        of account: ID, _ bytes: Int, _ work: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await Slot.wait { [waiting, thread] slot in
            let turn = PaperTurns.Turn(bytes: bytes) {
                guard slot.isAwaited else { return }
                slot.finish(Result { try work() })
            }
            if let refusal = waiting.withLock({ $0.join(account, turn) }) { return slot.finish(.failure(refusal)) }
            // For each turn that waits the thread looks once whose it is, unless it is ending.
            let looks = thread.submit { waiting.withLock { $0.next() }?.work() }
            if !looks { slot.finish(.failure(BlockingPool.Full())) }
        }
    }

    /// Ends the thread. It waits for it, so it is not done on a loop.
    package func stop() { thread.stop() }
}

/// Whose turn it is: of the accounts that wait, each in its order.
struct PaperTurns {
    struct Turn: Sendable {
        let bytes: Int
        let work: @Sendable () -> Void

        init(bytes: Int, work: @escaping @Sendable () -> Void) {
            (self.bytes, self.work) = (max(bytes, PaperTurns.leastBytes), work)
        }
    }

    /// What any turn holds, so that there are not too many.
    static let leastBytes = 4096

    private struct Line {
        var turns: ArraySlice<Turn> = []
        var bytes = 0
    }

    private let mostOfOne, most: Int
    private var lines: [ID: Line] = [:]
    /// The accounts that wait, whose turn comes first at the beginning.
    private var order: ArraySlice<ID> = []
    private var bytes = 0

    init(mostOfOne: Int, most: Int) { (self.mostOfOne, self.most) = (mostOfOne, most) }

    /// Has a turn wait, or says why it cannot. Who waits for nothing may wait, however much it is.
    mutating func join(_ account: ID, _ turn: Turn) -> Problem? {
        let own = lines[account]?.bytes ?? 0
        guard own == 0 || own + turn.bytes <= mostOfOne else { return .rateLimited() }
        guard bytes == 0 || bytes + turn.bytes <= most else { return .unavailable() }
        if lines[account] == nil { order.append(account) }
        lines[account, default: Line()].turns.append(turn)
        lines[account]?.bytes += turn.bytes
        bytes += turn.bytes
        return nil
    }

    /// Takes the next turn; its account comes again behind the others.
    mutating func next() -> Turn? {
        guard let account = order.popFirst(), let turn = lines[account]?.turns.popFirst() else { return nil }
        lines[account]?.bytes -= turn.bytes
        if lines[account]?.turns.isEmpty == true { lines[account] = nil } else { order.append(account) }
        bytes -= turn.bytes
        return turn
    }
}
