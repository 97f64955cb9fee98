import HTTP
import Postgres

/// Everything that happens in the process and is worth telling. Log and metrics each choose what to show of it; no
/// other code writes a log line.
public enum Observation: Sendable {
    /// Something at the clients' side.
    case http(HTTPEvent)
    /// Something at the database's side.
    case postgres(PostgresEvent)
    /// Something of the process as a whole.
    case process(ProcessEvent)
}

/// What happens to the process as a whole.
public enum ProcessEvent: Sendable {
    /// A step of the start is done or begun.
    case step(String)
    /// Something went wrong, and is being put right.
    case trouble(String)
    /// Something that is done beside requests could not be done; it is tried again.
    case jobFailed(String, reason: String)
    /// Requests are served at this address.
    case listening(String)
    /// A signal asked to stop.
    case stopping(signal: String)
    /// Everything has stopped.
    case stopped
}
