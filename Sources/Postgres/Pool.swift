import EventLoop

/// The connections of one loop, and the calls that wait for them.
///
/// Unchecked, because all of it happens on the loop's thread.
final class Pool: ConnectionEvents, @unchecked Sendable {
    let loop: EventLoop

    private let size: Int
    private let limits: DatabaseLimits
    private let source: ConnectionSource

    private var connections: [ServerConnection] = []
    private var keepers: [Task<Void, Never>] = []
    private var sweep: Timer?
    private var reads = WaitingLine<(call: any DatabaseCall, since: Instant)>()
    private var waiting = WaitingLine<(call: any DatabaseCall, since: Instant)>()
    private var look: Timer?
    private var waitingLeases = WaitingLine<(promise: Promise<ServerConnection>, since: Instant)>()
    private var counts = PoolStatistics()
    private var lastReason = "no connection yet"
    /// The reported reason why attempts to connect fail; nil once one succeeds.
    private var reportedFailure: String?
    private var rest: Promise<Void>?
    private var isStopping = false

    init(on loop: EventLoop, size: Int, limits: DatabaseLimits, source: ConnectionSource) {
        self.loop = loop
        self.size = size
        self.limits = limits
        self.source = source
    }

    /// The pool's present state and its counts so far.
    var statistics: PoolStatistics {
        var statistics = counts
        statistics.open = connections.count
        statistics.inFlight = connections.reduce(0) { $0 + $1.load }
        statistics.waiting = reads.count + waiting.count + waitingLeases.count
        return statistics
    }

    // MARK: Calls

    /// Passes a call to a connection, or queues it.
    func submit(_ call: any DatabaseCall) throws {
        try checkService()
        if reads.count + waiting.count >= limits.waitingStatements { forgetAbandoned() }
        guard reads.count + waiting.count < limits.waitingStatements else {
            throw PostgresError.unavailable("too many statements wait for a connection")
        }
        enqueue(call)
        passOn()
    }

    private func enqueue(_ call: any DatabaseCall) {
        if call.sharesSync { reads.append((call, loop.now)) } else { waiting.append((call, loop.now)) }
    }

    private func forgetAbandoned() {
        reads.keep { !$0.call.isAbandoned }
        waiting.keep { !$0.call.isAbandoned }
    }

    private func checkService() throws {
        guard !isStopping else { throw PostgresError.unavailable("stopping") }
        guard !connections.isEmpty else { throw PostgresError.unavailable(lastReason) }
    }

    private func passOn() {
        while !waiting.isEmpty, let connection = leastLoaded, hasRoom(connection), let next = waiting.popFirst() {
            hand(next, to: connection)
        }
        while !reads.isEmpty, let connection = reader, let next = reads.popFirst() { hand(next, to: connection) }
        if !reads.isEmpty { lookAgain() }
    }

    private func hand(_ next: (call: any DatabaseCall, since: Instant), to connection: ServerConnection) {
        guard !next.call.isAbandoned else { return }
        if next.since != loop.now { counts.addWait(since: next.since, now: loop.now) }
        connection.submit(next.call)
    }

    /// The connection for the next read. Reads that come up while a batch is under way make the next batch. One server
    /// process at work for each loop gets through more, and more evenly, than many that compete for the processors. If
    /// a connection is stuck the next one takes over, so that later reads do not wait for a slow one.
    private var reader: ServerConnection? {
        var behindOthers: ServerConnection?
        for connection in connections where !connection.isLeased {
            if connection.readsSent > 0 {
                if connection.isFluent { return nil }
            } else if connection.reads < limits.readsTogether {
                if connection.load == connection.reads { return connection }
                behindOthers = behindOthers ?? connection
            }
        }
        return behindOthers
    }

    /// Looks again after a while, because nobody reports that a connection is stuck.
    private func lookAgain() {
        guard look == nil else { return }
        look = loop.schedule(after: ServerConnection.patience) { [weak self] in
            self?.look = nil
            self?.passOn()
        }
    }

    /// The connection for the next write or lease. They are placed from the other end than reads.
    private var leastLoaded: ServerConnection? {
        connections.reversed().lazy.filter { !$0.isLeased }.min { $0.isBetterPlaced(than: $1) }
    }

    private func hasRoom(_ connection: ServerConnection) -> Bool {
        connection.load < limits.statementsPerConnection
    }

    // MARK: Leases

    /// A connection for the caller alone, until ``release(_:)``. One always stays unleased, so that statements go on.
    func lease() async throws -> ServerConnection {
        try checkService()
        if waitingLeases.isEmpty, let connection = takeLease() { return connection }
        if waitingLeases.count >= limits.waitingTransactions { waitingLeases.keep { !$0.promise.isOver } }
        guard waitingLeases.count < limits.waitingTransactions else {
            throw PostgresError.unavailable("too many transactions wait for a connection")
        }
        let promise = Promise<ServerConnection>(on: loop)
        waitingLeases.append((promise, loop.now))
        return try await promise.value()
    }

    /// Takes a leased connection back. If its transaction did not end, it is closed.
    func release(_ connection: ServerConnection) {
        connection.isLeased = false
        if !connection.isAtRest { connection.close("its transaction could not be ended") }
        if connection.hasOldPlans { forgetPlans(of: connection) }
        grantLeases()
        connectionHasRoom()
    }

    private func takeLease() -> ServerConnection? {
        let leased = connections.count { $0.isLeased }
        guard leased < max(1, connections.count - 1), let connection = leastLoaded else { return nil }
        connection.isLeased = true
        return connection
    }

    private func grantLeases() {
        waitingLeases.keep { !$0.promise.isOver }
        while !waitingLeases.isEmpty, let connection = takeLease(), let next = waitingLeases.popFirst() {
            counts.addWait(since: next.since, now: loop.now)
            next.promise.fulfil(.success(connection))
        }
    }

    /// Has every session forget its plans, at once or when its transaction is over.
    func planAnew() {
        for connection in connections {
            if connection.isLeased { connection.hasOldPlans = true } else { forgetPlans(of: connection) }
        }
    }

    private func forgetPlans(of connection: ServerConnection) {
        connection.hasOldPlans = false
        connection.submit(StatementCall(ForgetPlans(), on: loop))
    }

    // MARK: What connections report

    func connectionHasRoom() {
        passOn()
        guard let rest, !connections.contains(where: { $0.load > 0 || $0.isLeased }), reads.isEmpty, waiting.isEmpty
        else { return }
        rest.fulfil(.success(()))
    }

    func connectionGivesBack(_ call: any DatabaseCall) {
        enqueue(call)
    }

    func connectionIsReadOnly(_ connection: ServerConnection) {
        guard source.connector.wantsWritable else { return }
        connection.close("the server takes no writes any more")
    }

    func connectionClosed(_ connection: ServerConnection, _ reason: String) {
        connections.removeAll { $0 === connection }
        lastReason = reason
        if !isStopping { source.observe(.lost(reason: reason)) }
        source.hearing?.ended()
        if connections.isEmpty { failWaiting() } else { passOn() }
    }

    func connectionHeard(_ text: String, on channel: String) {
        source.hearing?.heard(text, channel)
    }

    private func failWaiting() {
        while let next = reads.popFirst() ?? waiting.popFirst() { next.call.fail(.unavailable(lastReason)) }
        while let next = waitingLeases.popFirst() {
            next.promise.fulfil(.failure(PostgresError.unavailable(lastReason)))
        }
    }

    // MARK: Keeping connections open

    /// Opens the connections and keeps them open until ``stop(within:)``. Gives the reason if none can be opened.
    func start() async throws -> String? {
        let attempts = (0..<size).map { _ in Promise<Void>(on: loop) }
        keepers = attempts.map { attempt in
            Task(executorPreference: loop) { await self.keepOneOpen(firstAttempt: attempt) }
        }
        scheduleSweep()
        for attempt in attempts { try await attempt.value() }
        return connections.isEmpty ? lastReason : nil
    }

    /// Connects again at once after a loss, then at growing intervals.
    private func keepOneOpen(firstAttempt: Promise<Void>) async {
        var backoff = Backoff()
        while !isStopping {
            do {
                let connection = try await open()
                backoff = Backoff()
                await adoptTimeout(of: connection)
                firstAttempt.fulfil(.success(()))
                try await connection.closed.value()
                counts.losses += 1
            } catch is CancellationError {
                return
            } catch {
                connectFailed(error)
                firstAttempt.fulfil(.success(()))
                try? await loop.sleep(for: backoff.next())
            }
        }
    }

    private func open() async throws -> ServerConnection {
        let began = Instant.now
        let wire = try await source.threads.run {
            [connector = source.connector, hearing = source.hearing] in
            let wire = try connector.connect()
            if let hearing { try wire.begin(hearing) }
            try wire.enterPipeline()
            return wire
        }
        try Task.checkCancellation()
        let timeout = limits.statementTimeout + limits.answerGrace
        let connection = try ServerConnection(wire, on: loop, answerTimeout: timeout, events: self)
        connections.append(connection)
        reportedFailure = nil
        source.observe(.connected(milliseconds: Double(Instant.now.nanoseconds(since: began)) / 1e6))
        source.hearing?.began()
        grantLeases()
        passOn()
        return connection
    }

    private func connectFailed(_ error: any Error) {
        lastReason = if case PostgresError.unavailable(let reason) = error { reason } else { "\(error)" }
        guard reportedFailure != lastReason else { return }
        reportedFailure = lastReason
        source.observe(.connectFailed(reason: lastReason))
    }

    /// The URL's options may have set a statement time-out other than ours.
    private func adoptTimeout(of connection: ServerConnection) async {
        let call = StatementCall(StatementTimeout(), on: loop)
        connection.submit(call)
        guard let milliseconds = try? await call.outcome().first else { return }
        connection.answerTimeout = milliseconds == 0 ? nil : .milliseconds(milliseconds) + limits.answerGrace
    }

    private func scheduleSweep() {
        sweep = loop.schedule(after: .milliseconds(250)) { [weak self] in
            self?.closeSilent()
            self?.scheduleSweep()
        }
    }

    /// Closes connections that owe an answer for too long, and all those to a server that is gone, before anybody else
    /// waits for them.
    private func closeSilent() {
        let (pings, now) = (source.pings, loop.now)
        for connection in connections { pings.heard(from: connection.place, at: connection.heard) }
        for connection in connections {
            if connection.isHung(at: now) || pings.isGone(connection.place, at: now) {
                connection.close("the server does not answer")
            } else if connection.isSilent(for: limits.silence, at: now) {
                pings.ask(connection.place, at: now)
            }
        }
    }

    /// Lets running calls finish, as long as the bound allows, and closes the connections.
    func stop(within bound: Duration) async {
        isStopping = true
        let rest = Promise<Void>(on: loop)
        self.rest = rest
        let timer = loop.schedule(after: bound) { rest.fulfil(.success(())) }
        connectionHasRoom()
        try? await rest.value()
        timer.cancel()
        sweep?.cancel()
        for keeper in keepers { keeper.cancel() }
        for connection in connections { connection.close("stopping") }
        for keeper in keepers { await keeper.value }
    }
}

/// The shared means by which the pools of all loops open connections.
struct ConnectionSource: Sendable {
    let connector: Connector
    let threads: BlockingPool
    let pings: Pings
    let observe: @Sendable (PostgresEvent) -> Void
    let hearing: Hearing?
}

/// The wait before another attempt to connect. It grows, and varies so that nodes do not try in step.
private struct Backoff {
    private var milliseconds = 50

    mutating func next() -> Duration {
        defer { milliseconds = min(500, milliseconds * 2) }
        return .milliseconds(Int.random(in: milliseconds / 2...milliseconds))
    }
}

private struct ForgetPlans: Statement {
    static let sql = "DISCARD PLANS"
}

/// The session's statement time-out in milliseconds; 0 means none.
private struct StatementTimeout: Statement {
    static let sql = "SELECT (extract(epoch FROM current_setting('statement_timeout')::interval) * 1000)::int8"
    static let isReadOnly = true
    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }
}
