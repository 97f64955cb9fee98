import Domain
import Postgres

/// Has whoever changes what the account keeps wait, until the transaction ends. There is no row if the account is being erased.
package struct HoldAccount: Statement {
    package static let sql = """
        SELECT true FROM accounts WHERE id = $1 AND password_hash <> '$scrypt$erased' FOR NO KEY UPDATE
        """
    let account: ID

    package init(account: ID) { self.account = account }

    package func bind(into parameters: inout Parameters) { parameters.add(account) }

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
