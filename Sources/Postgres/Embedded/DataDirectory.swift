import CLinux
import EventLoop
import Glibc

/// A data directory that this process holds: a lock on `kurir.lock`, which the kernel releases when the process ends,
/// however it ends; the cluster in `postgres`; and its log in `postgres.log`.
package final class DataDirectory: Sendable {
    /// The absolute path, without symbolic links.
    let path: String
    /// Where the server writes its log.
    package let log: Int32
    private let lock: Int32

    var clusterPath: String { path + "/postgres" }
    var logPath: String { path + "/postgres.log" }

    /// Takes the directory, and makes it if there is none; throws if another process holds it.
    package init(_ path: String) throws {
        do {
            try FileSystem.makeDirectory(path)
            self.path = try FileSystem.absolute(path)
            lock = try Self.open(self.path + "/kurir.lock")
            log = try Self.open(self.path + "/postgres.log", O_APPEND)
        } catch let error as SystemError {
            throw EmbeddedServerError.unusable(directory: path, reason: error.description)
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw EmbeddedServerError.held(directory: self.path, by: FileSystem.read(lock)?.firstLine ?? "")
        }
        writeOwnNumber()
        if logSize > 4 << 20 { ftruncate(log, 0) }
    }

    deinit {
        close(log)
        close(lock)
    }

    /// Releases the directory for other processes.
    func release() {
        flock(lock, LOCK_UN)
    }

    /// Opens the cluster, or makes it.
    package func cluster(durable: Bool = true, making: () -> Void = {}) throws -> Cluster {
        if try Cluster(path: clusterPath) == nil {
            making()
            try makeCluster(durable: durable)
        }
        guard let cluster = try Cluster(path: clusterPath) else { throw SystemError("opening \(clusterPath)") }
        try cluster.letIn()
        return cluster
    }

    /// The length of the log. ``logTail(from:)`` gives what is written after it.
    var logSize: Int { Int(lseek(log, 0, SEEK_END)) }

    /// The log from there on, or its end if that is long.
    func logTail(from start: Int) -> String {
        FileSystem.read(log, from: max(start, logSize - 4096)) ?? ""
    }

    private static func open(_ path: String, _ mode: Int32 = 0) throws -> Int32 {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | mode, 0o600)
        guard file >= 0 else { throw SystemError("opening \(path)") }
        return file
    }

    private func writeOwnNumber() {
        let text = "\(getpid())\n"
        ftruncate(lock, 0)
        pwrite(lock, text, text.utf8.count, 0)
    }
}

extension String {
    /// The text before the first line feed.
    var firstLine: String {
        String(prefix { $0 != "\n" })
    }
}
