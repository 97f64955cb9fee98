import EventLoop

/// Whose turn it is to use something of which there is little: whoever is known comes first, but for one in five, and networks
/// take turns, so that none that asks for much keeps another waiting.
final class HashingLine: Sendable {
    private let places: Int
    /// In seconds.
    private let patience: Double
    private let state = Locked(State())

    private struct State {
        var running = 0
        /// How long one takes, in seconds.
        var taking = 0.1
        /// Those who wait, by network.
        var known = FairLine<String, Waiting>()
        var others = FairLine<String, Waiting>()
        /// How many who are known came one after the other.
        var inARow = 0
        var numbers = 0

        /// How many come before somebody who comes now.
        func ahead(of turn: PasswordHasher.Turn) -> Int {
            if turn.isKnown {
                let ahead = known.ahead(of: turn.network)
                return ahead + min(others.count, (ahead + inARow) / HashingLine.mostInARow)
            }
            let ahead = others.ahead(of: turn.network)
            return ahead + min(known.count, (ahead + 1) * HashingLine.mostInARow)
        }

        /// Otherwise a few accounts that ask without end would keep everybody out who is not known yet.
        mutating func next() -> Waiting? {
            if inARow < HashingLine.mostInARow, let one = known.next() {
                inARow += 1
                return one
            }
            inARow = 0
            return others.next() ?? known.next()
        }
    }

    private static let mostInARow = 4

    private struct Waiting {
        let number: Int
        let since: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// So many go on at once, and the others wait for so many seconds at the most.
    init(places: Int, patience: Double = 3) { (self.places, self.patience) = (places, patience) }

    /// How many wait.
    var waiting: Int { state.withLock { $0.known.count + $0.others.count } }

    /// Does the work when it is its turn. What cannot begin in time is refused at once.
    func take<Answer>(_ turn: PasswordHasher.Turn, _ work: () async throws -> Answer) async throws -> Answer {
        try await wait(turn)
        let began = Instant.now
        defer { leave(Double(Instant.now.nanoseconds(since: began)) / 1e9) }
        return try await work()
    }

    private func wait(_ turn: PasswordHasher.Turn) async throws {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<Void, any Error>? = state.withLock { state in
                    guard state.running >= places else {
                        state.running += 1
                        return .success(())
                    }
                    let seconds = Double(state.ahead(of: turn) + 1) * state.taking / Double(places)
                    guard seconds <= patience else { return .failure(PasswordHasher.Busy(seconds: seconds)) }
                    let one = Waiting(number: number, since: .now, continuation: continuation)
                    if turn.isKnown {
                        state.known.append(one, of: turn.network)
                    } else {
                        state.others.append(one, of: turn.network)
                    }
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let one = state.withLock { state in
                state.known.remove(of: turn.network) { $0.number == number }
                    ?? state.others.remove(of: turn.network) { $0.number == number }
            }
            one?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Gives the place to the next, unless that one has waited for too long: others came before it meanwhile.
    private func leave(_ seconds: Double) {
        var late: [Waiting] = []
        let next: Waiting? = state.withLock { state in
            state.taking = 0.8 * state.taking + 0.2 * seconds
            while let one = state.next() {
                if Double(Instant.now.nanoseconds(since: one.since)) / 1e9 <= patience { return one }
                late.append(one)
            }
            state.running -= 1
            return nil
        }
        for one in late { one.continuation.resume(throwing: PasswordHasher.Busy(seconds: patience)) }
        next?.continuation.resume()
    }
}
