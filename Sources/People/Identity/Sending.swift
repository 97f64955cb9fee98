import API
import HTTP
import Postgres

/// By which channel something is sent, and whether anything sends what waits there. It is the same for all who ask.
struct Sending: Sendable {
    let channel: String
    let isLive: Bool

    init(to place: Login, _ runner: Runner) async throws {
        channel = place.channel
        isLive = try await runner.run(LiveChannels()).contains(place.channel)
    }

    static let members: [Shape.Member] = [
        .init("sent_by", .oneOf(["sms", "email"])), .init("is_live", .boolean),
    ]
    static let shape = Shape.object("Sending", members)

    func write(_ json: inout JSONWriter) {
        json.field("sent_by", channel)
        json.field("is_live", isLive)
    }

    func response() -> Response {
        var json = JSONWriter()
        json.object(write)
        return .json(json.bytes, status: .accepted)
    }
}

/// The channels of which a gateway has asked for messages within the last five minutes.
package struct LiveChannels: Statement {
    package init() {}

    package static let sql = "SELECT channel::text FROM channel_claims WHERE claimed_at > now() - interval '5 minutes'"
    package static let isReadOnly = true

    package static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}
