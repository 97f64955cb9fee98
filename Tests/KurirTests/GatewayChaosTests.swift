import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// Gateways die all the time, and no message does.
@Suite(.database) struct GatewayChaosTests {
    /// How often a gateway dies.
    private static let kills = Chaos.of(40, atLength: 120)
    private static let addresses = 200

    @Test func `no message is lost or out of turn when gateways are killed`() async throws {
        var seed = Seed.forThisRun()
        print("gateways that are killed: \(seed)")
        let url = TestDatabase.current.url
        try await Receivers.running { receivers in
            try await Kurir.serving("--database", url, environment: ["KURIR_THROTTLE": "off"]) { kurir in
                let made = try await Kurir.run(
                    "gateway-key", "create", "--name", "chaos", "--channel", "sms", "--database", url)
                let key = made.said.trimmingCharacters(in: .newlines)
                let starts: [() throws -> Program] = (0..<8).map { number in
                    {
                        number < 4
                            ? try Program(
                                Kurir.path,
                                [
                                    "gateway", "run", "--channel", "sms", "--to", receivers.told("http") + "/hook",
                                    "--insecure-transport",
                                ],
                                environment: ["DATABASE_URL": url, "KURIR_WEBHOOK_SECRET": Receivers.secret])
                            : try receivers.gateway(at: kurir.address, key: key)
                    }
                }
                var gateways = try starts.map { try $0() }
                var put = 0
                for _ in 0..<Self.kills {
                    put += try await putSome(after: put)
                    try await Task.sleep(for: .milliseconds(seed.number(50...250)))
                    let victim = seed.number(0...7)
                    gateways[victim].signal(SIGKILL)
                    try await gateways[victim].end()
                    gateways[victim] = try starts[victim]()
                }
                // The messages of killed gateways come back when their leases end.
                try await outboxEmpties()
                for gateway in gateways {
                    gateway.signal(SIGKILL)
                    try await gateway.end()
                }
                try await check(receivers, put: put)
            }
        }
    }

    /// Puts one more message to each of some addresses. Each says how many came to its address before it.
    private func putSome(after put: Int) async throws -> Int {
        let url = TestDatabase.current.url
        try await blocking {
            _ = try BlockingConnection(url: url).query(
                """
                INSERT INTO messages (kind, channel, address, language, title, body, data)
                SELECT 'invite', 'sms', '+38591' || 1000000 + n % $2::integer, 'hr', 'T', 'B', jsonb_build_object('n', n)
                FROM generate_series($1::integer, $1::integer + 24) n
                """, ["\(put)", "\(Self.addresses)"])
        }
        return 25
    }

    private func count(_ table: String) async throws -> Int {
        let url = TestDatabase.current.url
        let rows = try await blocking { try BlockingConnection(url: url).query("SELECT count(*) FROM \(table)") }
        return Int(rows[0][0] ?? "") ?? -1
    }

    private func check(_ receivers: Receivers, put: Int) async throws {
        let arrived = (receivers.arrived(at: "webhook") + receivers.arrived(at: "plain")).map { $0["message"] }
        let ids = Set(arrived.compactMap { $0["id"].string })
        print("\(put) messages, \(arrived.count - ids.count) messages sent more than once")
        #expect(ids.count == put)
        #expect(try await count("messages_done") == put)
        #expect(try await count("messages_dead") == 0)
        for (address, messages) in receivers.messagesByAddress {
            let numbers = messages.map { message in
                guard case .integer(let number) = message["data"]["n"] else { return -1 }
                return number
            }
            // A message may arrive again, but never after a later one.
            #expect(numbers == numbers.sorted(), "\(address)")
        }
    }
}

extension Receivers {
    /// The messages that came for each address from all gateways, in order.
    fileprivate var messagesByAddress: [String: [JSON]] {
        Dictionary(grouping: arrived.map { $0["message"] }) { $0["address"].string ?? "" }
    }
}
