import Curl
import HTTP
import Postgres

/// The outbox by its SQL functions. It connects when necessary, and again after the connection broke.
final class OutboxQueue {
    private let url: String
    private var connection: BlockingConnection?

    private static let take = """
        SELECT id, lease, kind, channel, address, platform, language, title, body, data, attempt,
            to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            ceil(extract(epoch FROM expires_at - clock_timestamp()))::bigint
        FROM outbox_take($1, $2, $3)
        """
    private static let ack = "SELECT id, result FROM outbox_ack($1, $2)"
    private static let nack = "SELECT id, result FROM outbox_nack($1)"
    /// What it asks of the database, which a test has it check.
    static let statements = [take, ack, nack]

    init(url: String) { self.url = url }

    func claim(_ channel: String, most: Int, seconds: Int) throws -> [Claimed] {
        let rows = try query(Self.take, [channel, String(most), String(seconds)])
        return rows.map { row in
            let texts = row.map { $0 ?? "" }
            return Claimed(
                id: texts[0], lease: texts[1], kind: texts[2], channel: texts[3], address: texts[4], platform: row[5],
                language: texts[6], title: texts[7], body: texts[8], data: texts[9], attempt: Int(texts[10]) ?? 1,
                createdAt: texts[11], secondsLeft: Int(texts[12]))
        }
    }

    /// The result for each message by id: `done`, `retry`, `dead` or `lost`.
    func report(_ verdicts: [(message: Claimed, verdict: Verdict)]) throws -> [String: String] {
        let done = verdicts.filter { $0.verdict == .done }.map(\.message)
        let failures = verdicts.filter { $0.verdict != .done }
        var rows: [[String?]] = []
        if !done.isEmpty {
            rows += try query(Self.ack, [Self.array(done.map(\.id)), Self.array(done.map(\.lease))])
        }
        if !failures.isEmpty {
            rows += try query(Self.nack, [Self.json(failures)])
        }
        return Dictionary(rows.map { ($0[0] ?? "", $0[1] ?? "") }) { first, _ in first }
    }

    private func query(_ sql: String, _ parameters: [String?]) throws -> [[String?]] {
        do {
            let connection = try connection ?? BlockingConnection(url: url)
            self.connection = connection
            return try connection.query(sql, parameters)
        } catch {
            // The refusal may come from a server that takes no more writes, while another one does.
            connection = nil
            throw error
        }
    }

    /// An array of ids, which need no quotes.
    private static func array(_ ids: [String]) -> String { "{" + ids.joined(separator: ",") + "}" }

    private static func json(_ failures: [(message: Claimed, verdict: Verdict)]) -> String {
        let objects = failures.map { message, verdict in
            var json = JSONWriter()
            json.object { json in
                json.field("id", message.id)
                json.field("lease", message.lease)
                verdict.write(&json)
            }
            return String(decoding: json.bytes, as: UTF8.self)
        }
        return "[" + objects.joined(separator: ",") + "]"
    }
}

extension Verdict {
    /// Why it is not done; nil when it is.
    var reason: String? {
        switch self {
        case .done: nil
        case .later(let reason, _), .tooLong(let reason), .never(let reason), .unregistered(let reason): reason
        }
    }

    fileprivate func write(_ json: inout JSONWriter) {
        // Control characters are of no use to the database or a reader.
        json.field("reason", String((reason ?? "").unicodeScalars.filter { $0.value >= 0x20 }.map(Character.init)))
        switch self {
        case .done, .tooLong: break
        case .later(_, let seconds): if let seconds { json.field("retry_after_seconds", seconds) }
        case .never: json.field("permanent", true)
        case .unregistered: json.field("unregistered", true)
        }
    }
}
