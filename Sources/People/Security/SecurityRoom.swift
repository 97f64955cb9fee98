import API
import Domain
import HTTP
import Postgres

/// What happened to an account that its owner should know of.
package struct SecurityRoom: Room {
    package init() {}

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/security", for: .signedIn, "Sign-ins, failures and changes of the account, newest first",
                room: "Sessions", query: Endpoint.Parameter.list, answers: [.ok(.page(of: NotedEvent.shape))]
            ) { call in
                let page = try call.page()
                let events = try await call.run(ListSecurity(account: call.caller.account, page: page))
                return page.response(events, key: { [$0.id.description] }) { json, event in json.object(event.write) }
            }
        ]
    }
}

/// A security event as its account sees it.
struct NotedEvent: Sendable {
    let id: ID
    let at: Timestamp
    let kind: String
    let address: String?
    let count: Int32

    static let shape = Shape.object(
        "SecurityEvent",
        [
            .init("id", .id), .init("at", .time), .init("kind", .string()), .init("address", Shape.string().orNull),
            .init("count", .integer(1...Int(Int32.max))),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("at", at)
        json.field("kind", kind)
        json.field("address", address)
        json.field("count", Int(count))
    }
}

/// A page of an account's security events: those that are written, and those that are still counted.
struct ListSecurity: Statement {
    static let sql = """
        SELECT * FROM (
            (SELECT id, at, kind, address, count FROM audit
            WHERE account_id = $1 AND id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff') ORDER BY id DESC LIMIT $3)
            UNION ALL
            SELECT id, at, kind, nullif(address, ''), count FROM audit_failures
            WHERE account_id = $1 AND id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) noted
        ORDER BY id DESC LIMIT $3
        """
    static let isReadOnly = true
    private let account: ID
    private let after: ID?
    private let limit: Int32

    init(account: ID, page: Page) throws {
        self.account = account
        after = try page.afterID()
        limit = page.fetched
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> NotedEvent {
        NotedEvent(
            id: try row.read(), at: try row.read(), kind: try row.read(), address: try row.read(),
            count: try row.read())
    }
}
