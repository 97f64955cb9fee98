import HTTP
import Postgres

/// An event in the process that is worth telling. Log and metrics each choose what to show of it; no other code writes
/// a log line.
public enum Observation: Sendable {
    /// An event on the clients' side.
    case http(HTTPEvent)
    /// An event on the database's side.
    case postgres(PostgresEvent)
    /// An event of the process as a whole.
    case process(ProcessEvent)

    /// Whether it tells what an account asked for or did.
    var isOfAccounts: Bool {
        switch self {
        case .http(.answered), .process(.security): true
        default: false
        }
    }
}

/// An event of the process as a whole.
public enum ProcessEvent: Sendable {
    /// A step of the start is done or begun.
    case step(String)
    /// Something went wrong, and is being repaired.
    case trouble(String)
    /// A job beside requests failed; it is tried again.
    case jobFailed(String, reason: String)
    /// Most or all is used of a budget for SMS.
    case budgetUsed(String, of: String, percent: Int)
    /// A service far away was asked: what became of it, and what is new about the service if it did otherwise before.
    case asked(String, outcome: String, news: String?)
    /// Requests are served at this address, and operators at the other, if there is one.
    case listening(String, admin: String?)
    /// A security event: what, whose if that is known, from where, and the hash of the name that was given.
    case security(kind: String, account: String?, address: String, who: String?, requestID: String)
    /// A signal asked to stop.
    case stopping(signal: String)
    /// Everything has stopped.
    case stopped
}
