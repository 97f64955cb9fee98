import Domain
import Postgres
import Simulation

/// Whether nobody has an account yet.
struct NobodyIsThere: Statement {
    static let sql = "SELECT NOT EXISTS (SELECT FROM accounts)"
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Registers all of them with one password, as if long ago.
struct RegisterDemoPeople: Statement {
    static let sql = """
        WITH stores_accounts AS (
            INSERT INTO accounts (id, kind, password_hash, language, created_at)
                SELECT id, 'store', $1, 'hr', $2 FROM unnest($3) AS id),
        couriers_accounts AS (
            INSERT INTO accounts (id, kind, password_hash, language, created_at)
                SELECT id, 'courier', $1, 'hr', $2 FROM unnest($9) AS id),
        shops AS (
            INSERT INTO stores (id, email, tax_id, name, address, phone, lat, lon)
                SELECT * FROM unnest($3, $4, $5, $6, $7, $8, $15, $16)),
        riders AS (
            INSERT INTO couriers (id, first_name, last_name, phone, share_position)
                SELECT id, first_name, last_name, phone, CASE WHEN n % 3 = 0 THEN 'always' ELSE 'carrying' END
                FROM unnest($9, $10, $11, $12) WITH ORDINALITY AS c(id, first_name, last_name, phone, n))
        INSERT INTO partners (store_id, courier_id, since)
            SELECT store_id, courier_id, $2 FROM unnest($13, $14) AS p(store_id, courier_id)
        """
    let cast: Cast
    let ids: [Person: ID]
    let passwordHash: String
    let since: Timestamp

    func bind(into parameters: inout Parameters) {
        let (stores, couriers) = (cast.stores, cast.couriers)
        parameters.add(passwordHash)
        parameters.add(since)
        parameters.add(stores.indices.map { ids[.store($0)]! })
        for text in [\Shop.email, \.taxID, \.name, \.address, \.phone] {
            parameters.add(stores.map { $0[keyPath: text] })
        }
        parameters.add(couriers.indices.map { ids[.courier($0)]! })
        for text in [\Rider.firstName, \.lastName, \.phone] { parameters.add(couriers.map { $0[keyPath: text] }) }
        parameters.add(stores.indices.flatMap { store in stores[store].partners.map { _ in ids[.store(store)]! } })
        parameters.add(stores.flatMap(\.partners).map { ids[.courier($0)]! })
        let doors = stores.map { Town.door(of: $0.address).location }
        parameters.add(doors.map(\.lat))
        parameters.add(doors.map(\.lon))
    }
}
