import EventLoop

/// Whose turn it is to use something of which there is little: whoever is known comes first, and networks take turns, so that
/// none that asks for much keeps another waiting.
final class Turns: Sendable {
    private let places: Int
    /// In seconds.
    private let patience: Double
    private let state = Locked(State())

    private struct State {
        var running = 0
        /// How long one takes, in seconds.
        var taking = 0.1
        var known = Line()
        var others = Line()
        var numbers = 0
    }

    /// Those who wait, by network, and whose turn is next.
    private struct Line {
        var waiting: [String: [Waiting]] = [:]
        var order: [String] = []

        var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

        /// How many come before the next one of this network.
        func ahead(of network: String) -> Int {
            let turn = (waiting[network]?.count ?? 0) + 1
            return waiting.values.reduce(0) { $0 + min($1.count, turn) }
        }

        mutating func append(_ one: Waiting, of network: String) {
            if waiting[network] == nil { order.append(network) }
            waiting[network, default: []].append(one)
        }

        mutating func next() -> Waiting? {
            guard let network = order.first, let one = waiting[network]?.removeFirst() else { return nil }
            order.removeFirst()
            if waiting[network]?.isEmpty == true { waiting[network] = nil } else { order.append(network) }
            return one
        }

        mutating func remove(_ number: Int, of network: String) -> Waiting? {
            guard let place = waiting[network]?.firstIndex(where: { $0.number == number }) else { return nil }
            defer {
                if waiting[network]?.isEmpty == true {
                    waiting[network] = nil
                    order.removeAll { $0 == network }
                }
            }
            return waiting[network]?.remove(at: place)
        }
    }

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
                    let ahead =
                        turn.isKnown
                        ? state.known.ahead(of: turn.network) : state.known.count + state.others.ahead(of: turn.network)
                    let seconds = Double(ahead + 1) * state.taking / Double(places)
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
                state.known.remove(number, of: turn.network) ?? state.others.remove(number, of: turn.network)
            }
            one?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Gives the place to the next, unless that one has waited for too long: others came before it meanwhile.
    private func leave(_ seconds: Double) {
        var late: [Waiting] = []
        let next: Waiting? = state.withLock { state in
            state.taking = 0.8 * state.taking + 0.2 * seconds
            while let one = state.known.next() ?? state.others.next() {
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
