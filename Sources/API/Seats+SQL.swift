import Domain
import Postgres

/// Takes a seat, and gives its number; nothing if the holder has the most already. One that must have a seat recalls the oldest.
struct TakeSeat: Statement {
    static let sql = "SELECT take_seat($1, $2, $3, $4, $5)"
    let holder: ID
    let most: Int32
    let id: ID
    let node: Int32
    let recalls: Bool

    func bind(into parameters: inout Parameters) {
        parameters.add(holder)
        parameters.add(most)
        parameters.add(id)
        parameters.add(node)
        parameters.add(recalls)
    }

    static func decode(_ row: inout RowReader) throws -> Int16? { try row.read() }
}

struct LeaveSeat: Statement {
    static let sql = "DELETE FROM seats WHERE holder = $1 AND id = $2"
    let holder: ID
    let id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(holder)
        parameters.add(id)
    }
}

/// Writes down what this node holds, and drops all else that it held, and what nodes held that are gone.
struct RestoreSeats: Statement {
    static let sql = "SELECT restore_seats($1, $2, $3, $4)"
    let node: Int32
    let seats: [(holder: ID, number: Int16?, id: ID)]

    func bind(into parameters: inout Parameters) {
        parameters.add(node)
        parameters.add(seats.map(\.holder))
        parameters.add(seats.map(\.number))
        parameters.add(seats.map(\.id))
    }
}
