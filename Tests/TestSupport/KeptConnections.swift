import EventLoop
import Postgres

/// Connections to one database that are used again: each that is made costs the server a process, and a test asks it for much.
///
/// Each has to itself whoever uses it, and it is as new then. One that failed is not used again.
final class KeptConnections: Sendable {
    private let url: String
    private let idle = Locked<[Kept]>([])

    /// It moves between threads, and is on one of them at a time.
    private struct Kept: @unchecked Sendable { let connection: BlockingConnection }

    init(url: String) { self.url = url }

    func use<Answer>(_ work: (BlockingConnection) throws -> Answer) throws -> Answer {
        let connection = try taken() ?? BlockingConnection(url: url)
        let answer = try work(connection)
        let kept = Kept(connection: connection)
        idle.withLock { $0.append(kept) }
        return answer
    }

    /// Some that were kept may have been ended by a test.
    private func taken() -> BlockingConnection? {
        while let kept = idle.withLock({ $0.popLast() }) {
            if (try? kept.connection.execute("DISCARD ALL")) != nil { return kept.connection }
        }
        return nil
    }
}
