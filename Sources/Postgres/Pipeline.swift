/// The calls sent over one connection, and the meaning of their answers: bookkeeping only, without input or output.
///
/// Between two syncs the server runs the steps as one transaction: after an error it skips the rest, and only the sync
/// commits. So answers count only when their sync has come.
struct Pipeline<Token> {
    enum Step {
        case prepare(Token)
        case execute(Token)
        case sync
    }

    /// The kinds of results that libpq gives.
    enum Incoming {
        case answer
        case error
        case skipped
        case sync
        case null
        case other
    }

    enum Action {
        case nothing
        /// It has its answer, which counts when ``settled`` comes.
        case answered(Token)
        case failed(Token, whilePreparing: Bool)
        /// Its preparation was skipped after an error of another call.
        case unprepared(Token)
        /// It did not run because of an error of another call.
        case skipped(Token)
        /// The answers since the last sync count now.
        case settled
        /// The calls answered since the last sync could not be committed.
        case commitFailed
        /// The server does not keep to the protocol.
        case broken
    }

    private var steps = WaitingLine<Step>()
    private var awaitsNull = false
    private var hasFailed = false
    private var hasFailedPreparing = false

    var isEmpty: Bool { steps.isEmpty }

    mutating func send(_ step: Step) {
        steps.append(step)
    }

    /// Takes the calls that are still under way, when no more answers will come.
    mutating func removeAll() -> [Token] {
        var tokens: [Token] = []
        while let step = steps.popFirst() {
            if case .execute(let token) = step { tokens.append(token) }
        }
        return tokens
    }

    /// libpq ends the results of each step with NULL; only a sync has none.
    mutating func receive(_ incoming: Incoming) -> Action {
        if awaitsNull {
            awaitsNull = false
            return incoming == .null ? .nothing : .broken
        }
        guard let step = steps.first else { return .broken }
        let action = action(on: incoming, for: step)
        if case .broken = action { return .broken }
        if case .commitFailed = action {} else { _ = steps.popFirst() }
        awaitsNull = incoming != .sync
        return action
    }

    private mutating func action(on incoming: Incoming, for step: Step) -> Action {
        switch (step, incoming, hasFailed) {
        case (.prepare, .answer, false): return .nothing
        case (.execute(let token), .answer, false): return .answered(token)
        case (.prepare(let token), .error, false):
            hasFailed = true
            hasFailedPreparing = true
            return .failed(token, whilePreparing: true)
        case (.execute(let token), .error, false):
            hasFailed = true
            return .failed(token, whilePreparing: false)
        case (.sync, .error, false):
            hasFailed = true
            return .commitFailed
        case (.prepare(let token), .skipped, true): return .unprepared(token)
        case (.execute(let token), .skipped, true):
            defer { hasFailedPreparing = false }
            return hasFailedPreparing ? .nothing : .skipped(token)
        case (.sync, .sync, _):
            hasFailed = false
            return .settled
        default: return .broken
        }
    }
}
