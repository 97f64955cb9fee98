import API
import Domain
import Postgres

/// Which paper is shared with a store, and how many bytes it has.
struct Share: Sendable {
    let courier, id: ID
    let bytes: Int

    /// Parts of so many bytes at most, if no paper alone has more.
    static func portions(of shares: [Share], upTo most: Int) -> [[Share]] {
        var (portions, bytes): ([[Share]], Int) = ([], 0)
        for share in shares {
            bytes += share.bytes
            if portions.isEmpty || bytes > most {
                portions.append([])
                bytes = share.bytes
            }
            portions[portions.count - 1].append(share)
        }
        return portions
    }
}

/// A paper that is shared with a store.
struct KeptShare: Sendable {
    let courier, id: ID
    let sameness, sealed: [UInt8]
}

/// Whether a store and a courier are partners, and neither is away.
struct SharesWith: Statement {
    static let sql = """
        SELECT EXISTS (
            SELECT FROM partners WHERE store_id = $1 AND courier_id = $2 AND NOT store_off AND NOT courier_off)
        """
    static let isReadOnly = true
    let store, courier: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(courier)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Which papers these couriers share with a store.
struct ListShares: Statement {
    static let sql = """
        SELECT c.courier_id, c.id, octet_length(c.sealed)
        FROM unnest($2::uuid[]) AS k(id) JOIN credential_shares s ON s.store_id = $1 AND s.courier_id = k.id
            JOIN credentials c ON c.courier_id = s.courier_id AND c.id = s.credential_id
        """
    static let isReadOnly = true
    let store: ID
    let couriers: [ID]

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(couriers)
    }

    static func decode(_ row: inout RowReader) throws -> Share {
        Share(courier: try row.read(), id: try row.read(), bytes: Int(try row.read() as Int32))
    }
}

/// These papers, as far as they are still shared with a store.
struct ListSharedPapers: Statement {
    static let sql = """
        SELECT c.courier_id, c.id, c.sameness, c.sealed
        FROM unnest($2::uuid[], $3::uuid[]) AS k(courier_id, id)
            JOIN credential_shares s ON s.store_id = $1 AND s.courier_id = k.courier_id AND s.credential_id = k.id
            JOIN credentials c ON c.courier_id = s.courier_id AND c.id = s.credential_id
        """
    static let isReadOnly = true
    let store: ID
    let shares: [Share]

    func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(shares.map(\.courier))
        parameters.add(shares.map(\.id))
    }

    static func decode(_ row: inout RowReader) throws -> KeptShare {
        KeptShare(
            courier: try row.read(), id: try row.read(), sameness: (try row.read() as Bytes).bytes,
            sealed: (try row.read() as Bytes).bytes)
    }
}

/// Which papers a store wants.
struct FindWants: Statement {
    static let sql = "SELECT wants FROM stores WHERE id = $1"
    static let isReadOnly = true
    let store: ID

    func bind(into parameters: inout Parameters) { parameters.add(store) }

    static func decode(_ row: inout RowReader) throws -> [String] { try row.read() }
}
