import HTTP
import Postgres
import Testing

@testable import API

/// What gateways do.
extension ServedProduct {
    /// A gateway's key, made as the command line makes one.
    func key(_ channels: String = "push,sms,email") async throws -> String {
        let secret = GatewayKey.newSecret()
        let hash = GatewayKey.hash(secret).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try await execute(
            """
            INSERT INTO gateway_keys (id, name, channels, key_hash)
            VALUES (gen_random_uuid(), 'test', string_to_array('\(channels)', ','), '\\x\(hash)')
            """)
        return secret
    }

    /// Puts messages to addresses into the queue, in order.
    func put(to addresses: [String], channel: String = "sms") async throws {
        for (number, address) in addresses.enumerated() {
            let platform = channel == "push" ? "'fcm'" : "NULL"
            try await execute(
                """
                INSERT INTO messages (kind, channel, address, platform, language, title, body, data)
                VALUES ('invite', '\(channel)', '\(address)', \(platform), 'hr', 'T', 'message \(number)', '{"n": \(number)}')
                """)
        }
    }

    func claim(
        _ key: String, _ most: Int = 10, channel: String = "sms", seconds: Int = 60, wait: Int = 0
    ) async throws -> [JSON] {
        let form: JSON = [
            "channel": .string(channel), "max": .integer(most), "lease_seconds": .integer(seconds),
            "wait_seconds": .integer(wait),
        ]
        let answer = try await post("/v1/outbox/claim", form, as: key)
        try #require(answer.status == 200, "\(answer.json)")
        return answer.json["messages"].items
    }

    func tell(
        _ key: String, _ what: String, _ messages: [JSON], _ more: [String: JSON] = [:],
        _ extra: [String: JSON] = [:]
    ) async throws -> [String] {
        let held = messages.map { message in
            (["id": message["id"], "lease": message["lease"]] as JSON).with(more)
        }
        let answer = try await post(
            "/v1/outbox/\(what)", (["messages": .array(held)] as JSON).with(extra), as: key)
        try #require(answer.status == 200, "\(answer.json)")
        return answer.json["results"].items.compactMap { $0["result"].string }
    }
}

func bodies(_ messages: [JSON]) -> [String] { messages.compactMap { $0["body"].string } }
