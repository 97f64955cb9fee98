import EventLoop
import FoundationEssentials
import Glibc

/// A directory for the duration of a demo.
enum TemporaryDirectory {
    private static let made = Locked<String?>(nil)

    static func make() throws -> String {
        var template = Array("/tmp/kurir-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("making a directory in /tmp") }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        made.withLock { $0 = path }
        return path
    }

    /// Removes what is there when the process ends without waiting. A server that still writes may make a file meanwhile.
    static func removeAtOnce() {
        guard let path = made.withLock({ $0 }) else { return }
        for _ in 0..<20 where FileManager.default.fileExists(atPath: path) { remove(path) }
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
