import Crypto
import Domain
import HTTP
import Postgres

/// Something that the owner of an account, or the operator, may ask for later: it stands in `audit`, and in the log.
package struct SecurityEvent: Sendable {
    /// What happened. A name is `thing.done`, and never changes.
    package enum Kind: String, Sendable, CaseIterable {
        case sessionCreated = "session.created"
        case sessionFailed = "session.failed"
        case sessionEnded = "session.ended"
        case passwordChanged = "password.changed"
        case passwordFailed = "password.failed"
        case resetAsked = "reset.asked"
        case resetFailed = "reset.failed"
        case resetDone = "reset.done"
        case loginProven = "login.proven"
        case loginUndone = "login.undone"
        case codeFailed = "code.failed"
        case sessionBlocked = "session.blocked"
        case accountLeft = "account.left"
        case accountReturned = "account.returned"
        case accountExported = "account.exported"
        /// By operators alone.
        case accountListed = "account.listed"
        case accountShown = "account.shown"
        case accountBlocked = "account.blocked"
        case accountUnblocked = "account.unblocked"
        case accountErased = "account.erased"
        case accountVerified = "account.verified"
        case accountApproved = "account.approved"
    }

    package let kind: Kind
    /// Whose it is; nil when that is not known, or nobody's.
    package let account: ID?
    /// From where.
    package let address: String
    /// A keyed hash of the name that was given, which nobody may have.
    package let meant: [UInt8]?
    package let requestID: String
}

extension SecurityEvent {
    /// An event that a request causes.
    package init(_ kind: Kind, of account: ID?, meant: [UInt8]? = nil, _ request: Request) {
        (self.kind, self.account, self.meant) = (kind, account, meant)
        (address, requestID) = (request.client.description, request.id)
    }

    /// The event as ``Audit`` takes it, which may add `account` and `detail` where the statement knows them.
    package var parameter: JSONB {
        var members: [String: JSON] = ["kind": .string(kind.rawValue), "address": .string(address)]
        if let account { members["account"] = .string(account.description) }
        if let meant { members["who"] = .string(hexadecimal(meant)) }
        return JSONB(utf8: JSON.object(members).bytes)
    }
}

/// Writes lines of `audit`. Every statement that causes a security event uses this text, so that the line is committed with
/// its cause.
package enum Audit {
    /// Writes a line for each row. `events` is a query with a column `event`: ``SecurityEvent/parameter``, or an object
    /// with `kind` and perhaps `account`, `address`, `who` (in hexadecimal) and `detail`.
    package static func sql(_ events: String) -> String {
        """
        INSERT INTO audit (kind, account_id, address, who, detail)
        SELECT e.kind, e.account, e.address, decode(e.who, 'hex'), coalesce(e.detail, '{}')
        FROM (\(events)) AS given,
            jsonb_to_record(given.event) AS e(kind text, account uuid, address text, who text, detail jsonb)
        """
    }
}

/// Writes a line, in the transaction of its cause.
package struct NoteEvent: Statement {
    package static let sql = Audit.sql("SELECT $1::jsonb AS event")
    private let event: JSONB

    /// `event` is a ``SecurityEvent/parameter``.
    package init(event: JSONB) { self.event = event }

    package func bind(into parameters: inout Parameters) { parameters.add(event) }
}

/// Counts an event that a stranger can cause as often as it likes, together with those that are like it.
struct NoteFailure: Statement {
    static let sql = "SELECT note_failure($1, $2, $3, $4)"
    let event: SecurityEvent

    func bind(into parameters: inout Parameters) {
        parameters.add(event.kind.rawValue)
        parameters.add(event.account)
        parameters.add(event.address)
        parameters.add(Bytes(event.meant ?? []))
    }
}

/// Makes lines of `audit` of what was counted, and drops what is too old; says whether there may be more.
package struct RenewAudit: Statement {
    package init() {}

    package static let sql = "SELECT renew_audit()"

    package static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Where security events are told of, and how those are called who are meant.
struct SecurityNotes: Sendable {
    private let key: [UInt8]
    let tell: @Sendable (SecurityEvent) -> Void

    init(secret: ServerSecret, tell: @escaping @Sendable (SecurityEvent) -> Void) {
        key = secret.key(for: "audit")
        self.tell = tell
    }

    /// The same for one name always, and nothing else is told by it.
    func hash(_ name: String) -> [UInt8] { Array(HMAC.sha256(key: key, Array(name.utf8)).prefix(16)) }
}

extension Call {
    /// Logs an event that is committed, or is about to be.
    package func log(_ event: SecurityEvent) { notes.tell(event) }

    /// Counts and logs something that failed, or that anybody can ask for. `name` is what the account was called.
    package func noteFailure(_ kind: SecurityEvent.Kind, of account: ID?, called name: String? = nil) async throws {
        let event = SecurityEvent(kind, of: account, meant: name.map(notes.hash), request)
        try await run(NoteFailure(event: event))
        log(event)
    }
}
