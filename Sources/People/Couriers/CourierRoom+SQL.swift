import API
import Domain
import HTTP
import Postgres

/// A cancellation that counted against a courier. Only the courier and that store learn which delivery it was.
struct Cancellation: Sendable {
    let id: ID
    let at: Timestamp
    let reason: String?
    let delivery: (id: ID, storeID: ID, storeName: String)?

    static let shape = Shape.object(
        "Cancellation",
        [
            .init("id", .id), .init("at", .time), .init("reason", Shape.string().orNull),
            .init("delivery_id", .id, optional: true),
            .init("store", .object([.init("id", .id), .init("name", .string())]), optional: true),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("at", at)
        json.field("reason", reason)
        guard let delivery else { return }
        json.field("delivery_id", delivery.id)
        json.object("store") { json in
            json.field("id", delivery.storeID)
            json.field("name", delivery.storeName)
        }
    }
}

/// A page of a courier's cancellations, newest first.
struct ListCancellations: Statement {
    static let sql = """
        SELECT c.id, c.at, c.reason, CASE WHEN $2 IN (c.courier_id, c.store_id) THEN c.delivery_id END, s.id, s.name
        FROM cancellations c JOIN stores s ON s.id = c.store_id
        WHERE c.courier_id = $1 AND c.id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff') ORDER BY c.id DESC LIMIT $4
        """
    static let isReadOnly = true
    private let courier: ID
    private let reader: ID
    private let after: ID?
    private let limit: Int32

    init(courier: ID, for caller: Caller, page: Page) throws {
        self.courier = courier
        reader = caller.account
        after = try page.afterID()
        limit = page.fetched
    }

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(reader)
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws -> Cancellation {
        let (id, at): (ID, Timestamp) = (try row.read(), try row.read())
        let (reason, delivery): (String?, ID?) = (try row.read(), try row.read())
        let (storeID, storeName): (ID, String) = (try row.read(), try row.read())
        return Cancellation(id: id, at: at, reason: reason, delivery: delivery.map { ($0, storeID, storeName) })
    }
}

/// Whether there is such a courier.
struct CourierExists: Statement {
    static let sql = "SELECT EXISTS (SELECT FROM couriers WHERE id = $1)"
    static let isReadOnly = true
    let courier: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
