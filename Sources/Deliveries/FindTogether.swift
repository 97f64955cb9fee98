import Domain
import Postgres

/// A delivery, and the account that asks for it.
struct AskedDelivery: Hashable {
    let account, id: ID
}

/// Finds deliveries for their stores, which are told whether nobody whom one is offered to is on duty.
struct FindForStores: Statement {
    static let sql = """
        SELECT \(StoredDelivery.columns(isPartner: "false", reader: .store)), d.status = 'pending'
            AND NOT \(SeeingSQL.isAnybodyOnDuty("d.candidates", where: "person <> ALL (d.declined || d.forfeited)"))
        FROM deliveries d \(StoredDelivery.tables) WHERE d.id = ANY ($1)
        """
    static let isReadOnly = true
    let asked: [ID]

    func bind(into parameters: inout Parameters) { parameters.add(asked) }

    static func decode(_ row: inout RowReader) throws -> StoredDelivery {
        var found = try StoredDelivery(&row)
        found.isOfferedToNobodyOnDuty = try row.read()
        return found
    }
}

/// Finds deliveries, without asking who may see them.
struct FindForAnybody: Statement {
    static let sql = "SELECT \(AskedDelivery.columns) FROM \(AskedDelivery.tables)"
    static let isReadOnly = true
    let asked: [AskedDelivery]

    func bind(into parameters: inout Parameters) { AskedDelivery.bind(asked, into: &parameters) }

    static func decode(_ row: inout RowReader) throws -> (asked: AskedDelivery, found: StoredDelivery) {
        let account: ID = try row.read()
        let found = try StoredDelivery(&row)
        return (AskedDelivery(account: account, id: found.delivery.id), found)
    }

    /// What was found for each of those who ask, of whom there are few.
    static func answers(to asked: [AskedDelivery], _ rows: [Row]) -> [StoredDelivery?] {
        asked.map { one in rows.first { $0.asked == one }?.found }
    }
}

extension AskedDelivery {
    static let columns = "asked.account, \(StoredDelivery.columns(for: "asked.account"))"
    static let tables = """
        unnest($1::uuid[], $2::uuid[]) AS asked(account, id) JOIN deliveries d ON d.id = asked.id
        \(StoredDelivery.tables) \(StoredDelivery.reader("asked.account"))
        """

    static func bind(_ asked: [AskedDelivery], into parameters: inout Parameters) {
        parameters.add(asked.map(\.account))
        parameters.add(asked.map(\.id))
    }
}
