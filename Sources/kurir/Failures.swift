import EventLoop
import HTTP
import Postgres

/// What errors of the parts below mean to clients. What is not here is an error of ours.
enum Failures {
    static func problem(for error: any Error) -> Problem? {
        switch error {
        case PostgresError.unavailable, PostgresError.connectionLost, is BlockingPool.Full: .unavailable()
        case PostgresError.refused(let refusal) where isPassing(refusal.state): .unavailable()
        default: nil
        }
    }

    /// What another try may well not meet again.
    private static func isPassing(_ state: SQLState) -> Bool {
        [.queryCanceled, .adminShutdown, .serializationFailure, .deadlockDetected, .readOnlyTransaction].contains(state)
    }
}
