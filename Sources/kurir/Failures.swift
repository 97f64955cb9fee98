import EventLoop
import HTTP
import Postgres

/// What errors of the parts below mean to clients. What is not here is an error of ours.
enum Failures {
    static func problem(for error: any Error) -> Problem? {
        switch error {
        case let error as PostgresError where error.isPassing: .unavailable()
        case is BlockingPool.Full: .unavailable()
        default: nil
        }
    }
}
