import API
import Domain
import HTTP
import Outbox
import Postgres

/// Takes back a change of what somebody signs in with, by the link that went to the place before.
///
/// Whoever has the link had the account before the change. What others may know or hold since is void: the password, all
/// sessions and devices, later links.
package struct Undoing: Sendable {
    let database: Database
    let authenticator: Authenticator

    package init(database: Database, authenticator: Authenticator) {
        (self.database, self.authenticator) = (database, authenticator)
    }

    package enum Outcome: Sendable {
        case undone(AccountKind)
        /// Somebody else has proven the place meanwhile.
        case taken
        case over
    }

    /// Whether the link is still good.
    package func isGood(_ token: String) async throws -> Bool {
        try await !database.run(IsUndoable(tokenHash: TokenHash(token).bytes)).isEmpty
    }

    package func undo(_ token: String, _ call: Call) async throws -> Outcome {
        do {
            let taken = try await database.transaction { transaction -> TakeFormerPlace.Row? in
                let take = TakeFormerPlace(tokenHash: TokenHash(token).bytes)
                guard let taken = try await transaction.run(take).first, let place = Login(kept: taken.place) else {
                    return nil
                }
                // Before the account's row, in the order of who confirms: a code that was typed already is worth nothing then.
                try await transaction.run(DropConfirmation(account: taken.account))
                try await transaction.run(ProvePlace(account: taken.account, place: place))
                try await transaction.run(
                    VoidSince(account: taken.account, change: taken.at, network: call.request.client.network))
                try await transaction.run(EndSessions(account: taken.account, kept: nil))
                // Last, so that it goes to the place that is proven again, and to no device of before.
                try await transaction.run(TellUndone(account: taken.account, message: Message(.loginChanged)))
                try await transaction.run(
                    NoteEvent(event: SecurityEvent(.loginUndone, of: taken.account, call.request).parameter))
                return taken
            }
            guard let taken else { return .over }
            await authenticator.forget(taken.account)
            call.log(SecurityEvent(.loginUndone, of: taken.account, call.request))
            return .undone(taken.kind)
        } catch PostgresError.refused(let error) where error.state == .uniqueViolation {
            return .taken
        }
    }
}

/// Whether a link still undoes a change.
struct IsUndoable: Statement {
    static let sql = "SELECT true FROM former_places WHERE token_hash = $1 AND expires_at > now()"
    static let isReadOnly = true
    let tokenHash: [UInt8]

    func bind(into parameters: inout Parameters) { parameters.add(Bytes(tokenHash)) }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Uses a link up. There is no row if it is over.
struct TakeFormerPlace: Statement {
    static let sql = """
        DELETE FROM former_places f USING accounts a
        WHERE f.token_hash = $1 AND f.expires_at > now() AND a.id = f.account_id
        RETURNING f.account_id, a.kind, f.place, f.created_at
        """
    let tokenHash: [UInt8]

    func bind(into parameters: inout Parameters) { parameters.add(Bytes(tokenHash)) }

    static func decode(_ row: inout RowReader) throws -> (account: ID, kind: AccountKind, place: String, at: Timestamp)
    {
        let (account, kind): (ID, String) = (try row.read(), try row.read())
        return (account, AccountKind(rawValue: kind) ?? .courier, try row.read(), try row.read())
    }
}

/// Voids an account's password, its devices, and the links that it has got since a change. It is at home nowhere but where that is
/// asked for: whoever changed it had signed in before, from wherever that was.
struct VoidSince: Statement {
    static let sql = """
        WITH later AS (DELETE FROM former_places WHERE account_id = $1 AND created_at >= $2),
        used AS (DELETE FROM used_addresses WHERE account_id = $1 AND address <> $3),
        home AS (
            INSERT INTO used_addresses (account_id, address, agent) VALUES ($1, $3, hashtextextended('', 0))
            ON CONFLICT (account_id, address, agent) DO UPDATE SET used_at = now()),
        given_up AS (DELETE FROM devices WHERE account_id = $1)
        UPDATE accounts SET password_hash = '$scrypt$void' WHERE id = $1
        """
    let account: ID
    let change: Timestamp
    let network: IPAddress

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(change)
        parameters.add(network.description)
    }
}

/// Tells an account, where it signs in again, that the link was used.
struct TellUndone: Statement {
    static let sql = Tell.sql(
        "SELECT jsonb_build_array($1 || jsonb_build_object('accounts', ARRAY[$2::uuid])) AS notices")
    let account: ID
    let message: Message

    func bind(into parameters: inout Parameters) {
        parameters.add(message.parameter)
        parameters.add(account)
    }
}
