import EventLoop
import HTTP
import Postgres

/// Gathers the figures of all parts and writes them for Prometheus.
public final class MetricsReport: Sendable {
    private let version: String
    private let metrics: Metrics
    private let database: Database
    private let lanes: [(name: String, database: Database)]
    private let group: EventLoopGroup
    private let server: Server
    private let messages: @Sendable () async -> (waiting: Int, outcomes: [String: Int])

    /// A report on these parts. The state of feeds and outbox is read on `database`; `messages` counts those of conversations.
    public init(
        version: String, metrics: Metrics, database: Database, lanes: [(name: String, database: Database)],
        group: EventLoopGroup, server: Server,
        messages: @escaping @Sendable () async -> (waiting: Int, outcomes: [String: Int])
    ) {
        self.version = version
        self.metrics = metrics
        self.database = database
        self.lanes = lanes
        self.group = group
        self.server = server
        self.messages = messages
    }

    /// Every figure, in Prometheus' text format.
    public func text(isReady: Bool) async -> String {
        var text = MetricsText()
        text.single("kurir_ready", .gauge, "Whether requests can be served: 1, or 0.", isReady ? 1 : 0)
        await writeRequests(&text)
        await writeMessages(&text)
        await writeDatabase(&text)
        await writeQueues(&text)
        await writeLoops(&text)
        ProcessFigures.write(&text)
        text.metric("kurir_build_info", .gauge, "Which version runs.")
        text.sample("kurir_build_info", [("version", version)], 1)
        return text.text
    }

    private func writeRequests(_ text: inout MetricsText) async {
        let sum = await metrics.sum()
        let sorted = sum.requests.sorted { ($0.key.route, $0.key.method) < ($1.key.route, $1.key.method) }
        text.metric("kurir_http_requests_total", .counter, "Requests answered, by route and status.")
        for (key, counts) in sorted {
            for (status, count) in counts.statuses.sorted(by: { $0.status < $1.status }) {
                text.sample("kurir_http_requests_total", key.labels + [("status", String(status))], Double(count))
            }
        }
        text.metric("kurir_http_request_duration_seconds", .histogram, "From a request's last byte to its answer.")
        for (key, counts) in sorted {
            text.histogram(
                "kurir_http_request_duration_seconds", key.labels, bounds: RouteCounts.bounds,
                buckets: counts.buckets, sum: Double(counts.nanoseconds) / 1e9)
        }
        text.single(
            "kurir_http_connections", .gauge, "Open connections of clients.", Double(server.openConnections))
        text.single(
            "kurir_http_connections_turned_away_total", .counter, "Connections refused, as there were too many.",
            Double(sum.turnedAway))
        text.single(
            "kurir_http_bytes_waiting", .gauge, "Bytes of answers that wait for clients to read them.",
            Double(server.bytesWaiting))
        text.single(
            "kurir_http_connections_cut_off_total", .counter,
            "Connections closed in the middle of an answer, as too much waited to be read.", Double(sum.cutOff))
        text.single(
            "kurir_tls_handshakes_failed_total", .counter,
            "Connections closed, as their client did not keep to TLS, or not in time.", Double(sum.failedHandshakes))
        text.metric("kurir_job_failures_total", .counter, "What is done beside requests, and could not be done.")
        for (job, count) in sum.failedJobs.sorted(by: { $0.key < $1.key }) {
            text.sample("kurir_job_failures_total", [("name", job)], Double(count))
        }
        text.metric(
            "kurir_service_questions_total", .counter, "Questions to services far away, by what became of them.")
        for (key, count) in sum.asked.sorted(by: { ($0.key.service, $0.key.outcome) < ($1.key.service, $1.key.outcome) }
        ) {
            text.sample(
                "kurir_service_questions_total", [("service", key.service), ("outcome", key.outcome)], Double(count))
        }
    }

    private func writeMessages(_ text: inout MetricsText) async {
        let (waiting, outcomes) = await messages()
        text.metric(
            "kurir_conversation_messages_total", .counter, "Messages of conversations, by what became of them.")
        for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) {
            text.sample("kurir_conversation_messages_total", [("outcome", outcome)], Double(count))
        }
        text.single(
            "kurir_conversation_messages_waiting", .gauge, "Those that wait to be committed.", Double(waiting))
    }

    private func writeDatabase(_ text: inout MetricsText) async {
        var pools: [(lane: String, figures: PoolStatistics)] = []
        for lane in lanes { pools.append((lane.name, await lane.database.statistics())) }
        func metric(
            _ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: (PoolStatistics) -> Double
        ) {
            text.metric(name, kind, help)
            for pool in pools { text.sample(name, [("lane", pool.lane)], value(pool.figures)) }
        }
        metric("kurir_database_connections", .gauge, "Open connections to the database.") { Double($0.open) }
        metric("kurir_database_in_flight", .gauge, "Statements under way.") { Double($0.inFlight) }
        metric("kurir_database_waiting", .gauge, "Statements and transactions that wait for a connection.") {
            Double($0.waiting)
        }
        metric("kurir_database_waits_total", .counter, "Statements and transactions that had to wait.") {
            Double($0.waits)
        }
        metric("kurir_database_wait_seconds_total", .counter, "How long they waited.") {
            Double($0.waitedNanoseconds) / 1e9
        }
        metric("kurir_database_connections_lost_total", .counter, "Connections to the database that broke.") {
            Double($0.losses)
        }
    }

    private func writeQueues(_ text: inout MetricsText) async {
        // These are left out while the database does not answer.
        if let feed = await rowsWithinASecond(of: ReadFeedFigures())?.first {
            text.single(
                "kurir_feed_waiting", .gauge, "Entries of the journal whose events have no numbers yet.",
                Double(feed.waiting))
            text.single("kurir_feed_delay_seconds", .gauge, "How long the oldest of them waits.", feed.seconds)
        }
        if let channels = await rowsWithinASecond(of: ReadOutboxFigures()) { OutboxFigures.write(channels, &text) }
        await rowsWithinASecond(of: ReadPositionFigures())?.first?.write(&text)
        if let budgets = await rowsWithinASecond(of: ReadBudgetFigures()) { BudgetFigures.write(budgets, &text) }
    }

    /// The rows of a statement; nil when there are none within a second: the other figures are wanted most when the
    /// database hangs.
    private func rowsWithinASecond<S: Statement>(of statement: S) async -> [S.Row]? {
        try? await database.run(statement, within: .seconds(1))
    }

    private func writeLoops(_ text: inout MetricsText) async {
        let turns = await group.onEachLoop { $0.turns }
        text.metric(
            "kurir_loop_turn_seconds", .histogram, "How long a turn of a loop took: what came meanwhile lagged as long."
        )
        for (index, turn) in turns.enumerated() {
            text.histogram(
                "kurir_loop_turn_seconds", [("loop", String(index))],
                bounds: TurnStatistics.bounds.map { Double($0) / 1e9 }, buckets: turn.buckets,
                sum: Double(turn.totalNanoseconds) / 1e9)
        }
    }
}

/// The entries that are committed and cannot be read in the feeds yet: an entry goes when it is numbered.
struct ReadFeedFigures: Statement {
    static let sql = """
        SELECT count(*), coalesce(max(extract(epoch FROM clock_timestamp() - at)), 0)::float8 FROM event_journal
        """
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> (waiting: Int64, seconds: Double) {
        (try row.read(), try row.read())
    }
}

extension RouteKey {
    fileprivate var labels: [(String, String)] { [("method", method), ("route", route)] }
}
