import EventLoop

/// The database. Each loop has a few connections, which the statements of all its tasks share. They are kept open until
/// ``stop(within:)``.
public final class Database: Sendable {
    /// The databases for which the task already holds a transaction's connection.
    @TaskLocal private static var held: Set<ObjectIdentifier> = []

    private let group: EventLoopGroup
    private let allowsNesting: Bool
    private let pools: LoopLocal<Pool>
    private let connecting: BlockingPool
    private let pings: Pings

    /// Opens `poolSize` connections on each loop of the group. Throws if some loop cannot open any.
    public convenience init(
        url: String, group: EventLoopGroup, poolSize: Int = 4, limits: DatabaseLimits = DatabaseLimits(),
        observe: @escaping @Sendable (PostgresEvent) -> Void = { _ in }
    ) async throws {
        try await self.init(url: url, group: group, poolSize: poolSize, limits: limits, hearing: nil, observe: observe)
    }

    init(
        url: String, group: EventLoopGroup, poolSize: Int, limits: DatabaseLimits, hearing: Hearing?,
        observe: @escaping @Sendable (PostgresEvent) -> Void
    ) async throws {
        let connector = try Connector(
            url: url, timeout: limits.connectTimeout, options: limits.sessionOptions, isReplica: limits.isReplica)
        let loops = group.loops.count
        let connecting = try BlockingPool(name: "connect", threads: loops, waiting: loops * poolSize)
        pings = try Pings(connector, limits)
        let source = ConnectionSource(
            connector: connector, threads: connecting, pings: pings, observe: observe, hearing: hearing)
        self.group = group
        self.connecting = connecting
        allowsNesting = limits.allowsNesting
        pools = try await LoopLocal(group) { Pool(on: $0, size: poolSize, limits: limits, source: source) }
        do {
            try await open(loops * poolSize, isReplica: limits.isReplica)
        } catch {
            await stop(within: .zero)
            throw error
        }
    }

    private func open(_ wanted: Int, isReplica: Bool) async throws {
        let failures = try await pools.onEach { try await $0.start() }
        guard !isReplica, let reason = failures.lazy.compactMap(\.self).first else { return }
        guard failures.contains(nil) else { throw PostgresError.unavailable(reason) }
        let open = await statistics().open
        throw PostgresError.unavailable(
            "only \(open) of \(wanted) connections could be opened, and some loop has none:"
                + " lower --pool-size or --loops, or let the server take more (\(reason))")
    }

    /// Runs a statement on the calling task's loop, and gives its rows.
    ///
    /// A task that is on none of the group's loops uses the first loop.
    @discardableResult
    public func run<S: Statement>(_ statement: S) async throws -> [S.Row] {
        guard let pool = pools.current else { return try await onFirstLoop { try await self.run(statement) } }
        try refuseNesting(S.sql)
        let call = StatementCall(statement, on: pool.loop)
        try pool.submit(call)
        return try await call.outcome()
    }

    /// The same, but a statement that takes longer is given up: for whoever asks how things are.
    public func run<S: Statement>(_ statement: S, within bound: Duration) async throws -> [S.Row] {
        let loop = EventLoop.current ?? group.loops[0]
        let asking = Task(executorPreference: loop) { try await self.run(statement) }
        return try await Task(executorPreference: loop) {
            let timer = loop.schedule(after: bound) { asking.cancel() }
            defer { timer.cancel() }
            return try await asking.value
        }.value
    }

    /// No task may wait for a second connection while it holds one.
    private func refuseNesting(_ what: @autoclosure () -> String) throws {
        guard !allowsNesting, Self.held.contains(ObjectIdentifier(self)) else { return }
        throw PostgresError.unexpected("a second connection for a task that holds one: \(what())")
    }

    /// Runs the body in a transaction on a connection of its own: committed when it returns, rolled back when it
    /// throws or its task is cancelled.
    ///
    /// A commit that ends in `connectionLost` or in a cancellation may have taken place.
    public func transaction<Answer: Sendable>(
        _ isolation: Isolation = .readCommitted,
        _ body: @escaping @Sendable (Transaction) async throws -> Answer
    ) async throws -> Answer {
        guard let pool = pools.current else {
            return try await onFirstLoop { try await self.transaction(isolation, body) }
        }
        try refuseNesting("BEGIN")
        let lease = Lease(of: try await pool.lease(), from: pool)
        do {
            try await lease.begin(isolation)
            let answer = try await Self.$held.withValue(Self.held.union([ObjectIdentifier(self)])) {
                try await body(Transaction(lease: lease))
            }
            try Task.checkCancellation()
            try await lease.commit()
            return answer
        } catch {
            await lease.rollBack()
            throw error
        }
    }

    /// Has every session plan its statements again, since their tables have grown.
    public func planAnew() async { await pools.onEach { $0.planAnew() } }

    /// The statistics of all loops' pools together.
    public func statistics() async -> PoolStatistics {
        await pools.onEach { $0.statistics }.reduce(PoolStatistics(), +)
    }

    /// Lets running statements finish, as long as the bound allows, and closes all connections.
    public func stop(within bound: Duration = .seconds(5)) async {
        await pools.onEach { await $0.stop(within: bound) }
        // This is not done on a loop, because it waits for an attempt to connect.
        await Task.detached {
            self.connecting.stop()
            self.pings.stop()
        }.value
    }

    private func onFirstLoop<Answer: Sendable>(_ work: @escaping @Sendable () async throws -> Answer) async throws
        -> Answer
    {
        try await group.loops[0].run(work)
    }
}
