import HTTP
import Postgres

/// Everything that can be observed of the process. Logs and metrics each choose what to show of it; nothing else
/// in the code writes a line or counts anything.
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
    /// Requests are served at this address.
    case listening(String)
    /// A signal asked to stop.
    case stopping(signal: String)
    /// Everything has stopped.
    case stopped
}
