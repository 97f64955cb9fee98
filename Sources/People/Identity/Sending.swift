import API
import HTTP
import Postgres

/// By which channel something is sent, and whether anything sends what waits there, to that place. It is the same for all who ask.
struct Sending: Sendable {
    let channel: String
    let isLive: Bool

    init(to place: Login, _ runner: Runner) async throws {
        channel = place.channel
        isLive = try await runner.run(IsSendingLive(place: place)).first ?? false
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

/// Whether a gateway has asked for messages of a place's channel within the last five minutes, and may have one for that place.
struct IsSendingLive: Statement {
    static let sql = """
        SELECT EXISTS (
                SELECT FROM channel_claims WHERE channel = $1::message_channel AND claimed_at > now() - interval '5 minutes')
            AND ($1 <> 'sms' OR sms_refusal($2) IS NULL)
        """
    static let isReadOnly = true
    let place: Login

    func bind(into parameters: inout Parameters) {
        parameters.add(place.channel)
        parameters.add(place.text)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// The channels of which a gateway has asked for messages within the last five minutes.
package struct LiveChannels: Statement {
    package init() {}

    package static let sql = "SELECT channel::text FROM channel_claims WHERE claimed_at > now() - interval '5 minutes'"
    package static let isReadOnly = true

    package static func decode(_ row: inout RowReader) throws -> String { try row.read() }
}
