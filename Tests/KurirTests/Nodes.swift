import EventLoop
import Foundation
import TestSupport

/// Two nodes, of which one is killed or stopped at a time. Each client uses the one that answers.
final class Nodes: Sendable {
    private let running: Locked<[Kurir]>
    private let start: @Sendable () async throws -> Kurir

    init(_ start: @escaping @Sendable () async throws -> Kurir) async throws {
        self.start = start
        running = Locked([try await start(), try await start()])
    }

    func node(_ place: Int) -> Kurir { running.withLock { $0[place % 2] } }

    func killAndStart(_ place: Int) async throws {
        let victim = node(place)
        victim.program.signal(SIGKILL)
        try await victim.program.end()
        let next = try await start()
        running.withLock { $0[place % 2] = next }
    }

    func pause(_ place: Int, for time: Duration) async throws {
        let victim = node(place)
        victim.program.signal(SIGSTOP)
        try await Task.sleep(for: time)
        victim.program.signal(SIGCONT)
    }

    func stop() async throws {
        for node in running.withLock({ $0 }) {
            node.program.signal(SIGTERM)
            try await node.program.end()
        }
    }
}

extension Kurir {
    /// Makes one call, and gives up after three seconds, since the node may be stopped. Whoever answers at the port of a node that is
    /// gone is the server of another test.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, as token: String, key: String? = nil
    ) async throws -> (status: Int, body: String) {
        var options = [
            "-s", "--max-time", "3", "-w", "\n%{http_code}", "-X", method, "-H", "Authorization: Bearer \(token)",
        ]
        if let key { options += ["-H", "Idempotency-Key: \(key)"] }
        if let body { options += ["-H", "Content-Type: application/json", "-d", body] }
        let curl = try Program("curl", options + [address + path])
        try await curl.end()
        guard program.isRunning else { return (0, "") }
        let lines = curl.said.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }
}
