import CLinux
import EventLoop
import Glibc

/// The thread that starts the server, watches it, starts it again, and stops it.
///
/// Only this thread signals and reaps its server. It lives as long as the server, since the kernel stops the server
/// when the thread that started it ends.
final class Supervisor: Sendable {
    let cluster: Cluster
    let directory: DataDirectory
    private let connections: Int
    private let durable: Bool
    private let report: @Sendable (EmbeddedServer.Event) -> Void

    /// Readable once the server is to be stopped.
    private let stopRequest = eventfd(0, Int32(EFD_CLOEXEC))
    /// Readable once the outcome of the first start is known.
    private let settled = eventfd(0, Int32(EFD_CLOEXEC))
    private let failure = Locked<(any Error)?>(nil)
    private let thread = Locked<Thread?>(nil)

    init(
        directory: DataDirectory, cluster: Cluster, connections: Int, durable: Bool,
        report: @escaping @Sendable (EmbeddedServer.Event) -> Void
    ) {
        self.directory = directory
        self.cluster = cluster
        self.connections = connections
        self.durable = durable
        self.report = report
    }

    deinit {
        close(stopRequest)
        close(settled)
    }

    /// Starts the server and waits until it takes connections.
    func start() throws {
        let thread = try Thread(name: "postgres") { self.run() }
        var value: eventfd_t = 0
        eventfd_read(settled, &value)
        guard let failure = failure.withLock({ $0 }) else { return self.thread.withLock { $0 = thread } }
        thread.join()
        throw failure
    }

    /// Stops the server and waits until it is gone.
    func stop() {
        eventfd_write(stopRequest, 1)
        let thread = thread.withLock { $0.take() }
        thread?.join()
        directory.release()
    }

    // MARK: The thread

    private func run() {
        // The server inherits this from the thread that starts it: requests wait for it as they do for a loop.
        clinux_be_prompt()
        var isSettled = false
        var retry: Int32 = 0
        while true {
            let started = Instant.now
            let end = serve {
                if !isSettled { eventfd_write(settled, 1) }
                isSettled = true
            }
            guard case .failed(let error) = end else { return }
            guard isSettled else { return settle(with: error) }
            let livedLong = started + .seconds(10) < .now
            retry = livedLong ? 50 : min(max(50, retry * 2), 1000)
            report(.died(reason: "\(error)", retryMilliseconds: retry))
            if stopIsRequested(within: retry) { return }
        }
    }

    private enum End {
        case stopped
        case failed(any Error)
    }

    /// Runs the server once, until it ends.
    private func serve(whenReady: () -> Void) -> End {
        let logStart = directory.logSize
        do {
            try cluster.expelLeftovers { report(.expelling(process: $0)) }
            let server = try cluster.launch(log: directory.log, connections: connections, durable: durable)
            guard let status = watch(server, whenReady) else { return .stopped }
            let tail = directory.logTail(from: logStart)
            return .failed(EmbeddedServerError.failed("\(status)", log: directory.logPath, tail: tail))
        } catch {
            return .failed(error)
        }
    }

    /// How the server died; nil when it was stopped as requested.
    private func watch(_ server: ServerProcess, _ whenReady: () -> Void) -> ExitStatus? {
        var isReady = false
        while true {
            switch server.wait(orFor: stopRequest, milliseconds: isReady ? -1 : 10) {
            case .ended: return server.reap()
            case .event:
                server.shutDown()
                return nil
            case .timeout:
                guard cluster.isReady(server) else { continue }
                isReady = true
                report(.ready)
                whenReady()
            }
        }
    }

    private func settle(with error: any Error) {
        failure.withLock { $0 = error }
        eventfd_write(settled, 1)
    }

    private func stopIsRequested(within milliseconds: Int32) -> Bool {
        var file = pollfd(fd: stopRequest, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, milliseconds) > 0
    }
}
