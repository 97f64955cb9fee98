import EventLoop

/// Bounds that keep a slow or dead database from blocking its users.
public struct DatabaseLimits: Sendable {
    /// The server ends a statement that takes longer, unless the URL's `options` say otherwise.
    public var statementTimeout: Duration = .seconds(15)
    /// The server ends a transaction in which nothing happens for longer, unless the URL's `options` say otherwise.
    public var idleInTransactionTimeout: Duration = .seconds(30)
    /// How long opening a connection may take, shared among the URL's hosts, unless the URL says otherwise.
    public var connectTimeout: Duration = .seconds(5)
    /// How much longer than the statement time-out a server may be silent before its connection is given up.
    public var answerGrace: Duration = .seconds(5)
    /// How long a server may owe an answer in silence before it is asked whether it is there at all.
    public var silence: Duration = .seconds(2)
    /// How long it may leave that question open before all its connections are given up. It answers the question while
    /// a statement takes its time.
    public var pingTimeout: Duration = .seconds(3)
    /// How many statements may be under way on one connection.
    public var statementsPerConnection = 64
    /// How many reads share a batch. With more, the first would wait for the last, and little more would be saved.
    public var readsTogether = 32
    /// How many statements may wait for a connection, on each loop.
    public var waitingStatements = 2048
    /// How many transactions may wait for a connection, on each loop.
    public var waitingTransactions = 256

    /// Whether a task that holds a connection for a transaction may ask for another one. With few connections such
    /// tasks would wait for each other.
    public var allowsNesting = true

    /// Whether it is a replica: one that need not take writes, and that is looked for later on when it cannot be reached at
    /// the start.
    public var isReplica = false

    /// The usual bounds.
    public init() {}

    /// The settings for each session. Every statement is meant to use an index and go from row to row. Missing or wrong
    /// statistics must not make the planner choose otherwise, and no statement is worth compiling, planning anew for
    /// each call, or running in parallel.
    var sessionOptions: String {
        """
        -c plan_cache_mode=force_generic_plan -c jit=off -c max_parallel_workers_per_gather=0 -c enable_seqscan=off \
        -c enable_hashjoin=off -c enable_mergejoin=off -c enable_incremental_sort=off \
        -c statement_timeout=\(statementTimeout.inNanoseconds / 1_000_000) \
        -c idle_in_transaction_session_timeout=\(idleInTransactionTimeout.inNanoseconds / 1_000_000)
        """
    }
}
