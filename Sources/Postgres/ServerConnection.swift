import CLibpq
import EventLoop

/// One connection on its loop, over which many calls are under way at once.
///
/// Calls of one turn of the loop are held back until the turn ends, and then handed to libpq. Calls that were abandoned
/// meanwhile are never sent. Those that only read share one sync, and so one system call here, one at the server, and
/// one transaction there. Every other call ends in a sync of its own, so that its error affects no other.
///
/// Unchecked, because all of it happens on the loop's thread.
final class ServerConnection: FileEvents, TurnEnd, @unchecked Sendable {
    let loop: EventLoop

    /// How many calls are under way or about to be.
    private(set) var load = 0
    /// How many of those only read, and how many reads are sent.
    private(set) var reads = 0
    private(set) var readsSent = 0
    /// Whether answers are coming at the moment.
    var isFluent: Bool { !isSilent(for: Self.patience, at: loop.now) }
    /// How long it may be silent before reads go elsewhere: longer than a busy machine usually lets a server wait.
    static let patience = Duration.milliseconds(10)
    /// The same for writes: longer than disks usually let a commit wait, since what is spread unevenly waits, too.
    private static let writePatience = Duration.milliseconds(100)

    /// Whether a transaction holds it at the moment.
    var isLeased = false
    /// Whether its plans are to be forgotten when it is no longer leased.
    var hasOldPlans = false
    /// How long the server may be silent while a call is under way; nil means for ever.
    var answerTimeout: Duration?

    /// A promise that is kept when the connection has closed.
    let closed: Promise<Void>

    /// Where its server is, and when something came from there.
    let place: ServerPlace
    private(set) var heard: Instant
    /// When the calls under way began to wait, after there were none.
    private var waitingSince: Instant

    private let wire: Wire
    private let events: any ConnectionEvents
    private var watch: FileToken?
    private var interest = FileReadiness.readable
    private var willHandOver = false

    private var queue = WaitingLine<any DatabaseCall>()
    private var pipeline = Pipeline<any DatabaseCall>()
    /// Calls with an answer or an error, which counts from the next sync on.
    private var answered: [(call: any DatabaseCall, error: PostgresError?)] = []
    private var prepared: [ObjectIdentifier: String] = [:]
    private var preparedCount = 0
    private var parameters = Parameters()

    init(_ wire: Wire, on loop: EventLoop, answerTimeout: Duration, events: any ConnectionEvents) throws {
        self.wire = wire
        self.loop = loop
        self.answerTimeout = answerTimeout
        self.events = events
        place = wire.place
        heard = loop.now
        waitingSince = loop.now
        closed = Promise(on: loop)
        watch = try loop.watch(PQsocket(pointer), for: interest, handler: self)
    }

    private var pointer: OpaquePointer { wire.pointer }

    var isOpen: Bool { watch != nil }

    /// Whether the session has nothing under way and no transaction open.
    var isAtRest: Bool { isOpen && load == 0 && PQtransactionStatus(pointer) == PQTRANS_IDLE }

    /// Since when the server has been silent while it owes an answer; nil when it owes none.
    private var silentSince: Instant? { pipeline.isEmpty ? nil : max(heard, waitingSince) }

    /// Whether the server has owed an answer for longer than this, and has been silent.
    func isSilent(for bound: Duration, at now: Instant) -> Bool {
        silentSince.map { $0 + bound < now } ?? false
    }

    /// Whether a write has less to wait for here: to hang, perhaps for long, is worse than any load, and to have hung
    /// for longer is the worst.
    func isBetterPlaced(than other: ServerConnection) -> Bool {
        let now = loop.now
        guard isSilent(for: Self.writePatience, at: now) || other.isSilent(for: Self.writePatience, at: now) else {
            return load < other.load
        }
        return (silentSince ?? now) > (other.silentSince ?? now)
    }

    /// Whether the server has owed an answer for too long.
    func isHung(at now: Instant) -> Bool {
        answerTimeout.map { isSilent(for: $0, at: now) } ?? false
    }

    // MARK: Sending

    /// Takes a call, to be sent when the turn ends.
    func submit(_ call: any DatabaseCall) {
        guard isOpen else { return call.fail(.connectionLost("the connection is closed")) }
        load += 1
        if call.sharesSync { reads += 1 }
        queue.append(call)
        guard !willHandOver else { return }
        willHandOver = true
        loop.atEndOfTurn(self)
    }

    func turnEnded() {
        willHandOver = false
        guard isOpen else { return }
        if pipeline.isEmpty { waitingSince = loop.now }
        if handOver() {
            flush()
        } else {
            close(wire.lastError)
        }
        events.connectionHasRoom()
    }

    /// Hands the queue to libpq; false when libpq takes no more.
    private func handOver() -> Bool {
        var owesSync = false
        while let call = queue.popFirst() {
            let shares = call.sharesSync
            guard !call.isAbandoned else {
                load -= 1
                if shares { reads -= 1 }
                continue
            }
            if shares { readsSent += 1 }
            guard !owesSync || shares || sendSync(), send(call), shares || sendSync() else {
                call.fail(.connectionLost(wire.lastError))
                return false
            }
            owesSync = shares
        }
        return !owesSync || sendSync()
    }

    private func sendSync() -> Bool {
        pipeline.send(.sync)
        return PQpipelineSync(pointer) == 1
    }

    private func send(_ call: any DatabaseCall) -> Bool {
        parameters.removeAll()
        call.bind(into: &parameters)
        guard let name = preparedName(for: call) else { return false }
        pipeline.send(.execute(call))
        let count = parameters.count
        // The name itself as the argument would be copied to the heap at every call.
        return name.withCString { name in
            parameters.withValues { values, lengths, formats in
                PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1) == 1
            }
        }
    }

    /// The name under which the call's statement is prepared; nil when libpq takes no more.
    private func preparedName(for call: any DatabaseCall) -> String? {
        if call.wasPreparedAgain { return prepare(call, as: Self.unnamed) }
        if let name = prepared[call.statement] { return name }
        preparedCount += 1
        let name = "s\(preparedCount)"
        prepared[call.statement] = name
        return prepare(call, as: name)
    }

    /// For a call whose prepared statement was gone: the next preparation under this name replaces it.
    private static let unnamed = ""

    private func prepare(_ call: any DatabaseCall, as name: String) -> String? {
        pipeline.send(.prepare(call))
        let sent = parameters.withTypes { PQsendPrepare(pointer, name, call.sql, parameters.count, $0) }
        return sent == 1 ? name : nil
    }

    private func flush() {
        let unsent = PQflush(pointer)
        guard unsent >= 0 else { return close(wire.lastError) }
        let wanted: FileReadiness = unsent > 0 ? [.readable, .writable] : .readable
        guard wanted != interest, let watch else { return }
        interest = wanted
        loop.rewatch(watch, file: PQsocket(pointer), for: wanted)
    }

    // MARK: Receiving

    func ready(_ readiness: FileReadiness) {
        guard PQconsumeInput(pointer) == 1 else { return close(wire.lastError) }
        heard = loop.now
        receive()
        guard isOpen else { return }
        if interest.contains(.writable) { flush() }
        events.connectionHasRoom()
    }

    /// libpq separates the results of two calls by NULL, which is not the end. PQisBusy is called even when nothing is
    /// under way, since only then does libpq read the server's farewell.
    private func receive() {
        while isOpen, PQisBusy(pointer) == 0, !pipeline.isEmpty {
            let result = PQgetResult(pointer)
            defer { PQclear(result) }
            act(on: pipeline.receive(Pipeline.Incoming(result)), result)
        }
        if isOpen, PQstatus(pointer) == CONNECTION_BAD { close(wire.lastError) }
        while isOpen, let notice = PQnotifies(pointer) {
            defer { PQfreemem(notice) }
            events.connectionHeard(
                String(cString: notice.pointee.extra), on: String(cString: notice.pointee.relname))
        }
    }

    private func act(on action: Pipeline<any DatabaseCall>.Action, _ result: OpaquePointer?) {
        switch action {
        case .nothing: break
        case .answered(let call):
            if let result { call.answer(result) }
            answered.append((call, nil))
        case .failed(let call, let whilePreparing):
            if whilePreparing { prepared[call.statement] = nil }
            failed(call, result)
        case .unprepared(let call): prepared[call.statement] = nil
        case .skipped(let call): giveBack(call)
        case .settled: settle()
        case .commitFailed: commitFailed(result)
        case .broken: close("the server broke the protocol")
        }
    }

    private func failed(_ call: any DatabaseCall, _ result: OpaquePointer?) {
        guard let error = ServerError(result) else {
            call.fail(.connectionLost(lastWords(result)))
            return close(lastWords(result))
        }
        if error.meansPreparedAnew, call.mayMove, !call.wasPreparedAgain {
            prepared[call.statement] = nil
            call.wasPreparedAgain = true
            return giveBack(call)
        }
        answered.append((call, .refused(error)))
        if error.state == .readOnlyTransaction { events.connectionIsReadOnly(self) }
    }

    /// The call is not simply sent again over this connection, since a transaction may have begun on it meanwhile.
    private func giveBack(_ call: any DatabaseCall) {
        load -= 1
        if call.sharesSync { readIsOver() }
        call.sharesSync = false
        events.connectionGivesBack(call)
    }

    private func commitFailed(_ result: OpaquePointer?) {
        guard let error = ServerError(result) else { return close(lastWords(result)) }
        for place in answered.indices where answered[place].error == nil { answered[place].error = .refused(error) }
    }

    /// What the server said before it ended the session.
    private func lastWords(_ result: OpaquePointer?) -> String {
        String(cString: PQresultErrorMessage(result)).onOneLine
    }

    private func settle() {
        load -= answered.count
        for (call, error) in answered {
            if call.sharesSync { readIsOver() }
            if let error { call.fail(error) } else { call.settle() }
        }
        answered.removeAll(keepingCapacity: true)
    }

    private func readIsOver() {
        reads -= 1
        readsSent -= 1
    }

    // MARK: Closing

    /// Closes the connection, and tells everybody who waits for it why.
    func close(_ reason: String) {
        guard let watch else { return }
        self.watch = nil
        loop.unwatch(watch, file: PQsocket(pointer))
        load = 0
        events.connectionClosed(self, reason)
        for (call, error) in answered { call.fail(error ?? .connectionLost(reason)) }
        answered = []
        for call in pipeline.removeAll() { call.fail(.connectionLost(reason)) }
        while let call = queue.popFirst() { call.fail(.unavailable(reason)) }
        closed.fulfil(.success(()))
    }
}

/// The events of a connection that its owner learns of.
protocol ConnectionEvents: AnyObject {
    /// Calls are over, so that there is room for more.
    func connectionHasRoom()
    /// A call did nothing and must be sent again.
    func connectionGivesBack(_ call: any DatabaseCall)
    /// The server refused a write because it is read-only.
    func connectionIsReadOnly(_ connection: ServerConnection)
    func connectionClosed(_ connection: ServerConnection, _ reason: String)
    /// An announcement came on a channel that the session listens to.
    func connectionHeard(_ text: String, on channel: String)
}

extension ServerError {
    /// Whether the statement failed only because its prepared form is gone or outdated.
    fileprivate var meansPreparedAnew: Bool {
        state == .invalidStatementName || state == .featureNotSupported
    }
}

extension Pipeline.Incoming {
    fileprivate init(_ result: OpaquePointer?) {
        guard let result else {
            self = .null
            return
        }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: self = .answer
        case PGRES_FATAL_ERROR: self = .error
        case PGRES_PIPELINE_ABORTED: self = .skipped
        case PGRES_PIPELINE_SYNC: self = .sync
        default: self = .other
        }
    }
}
