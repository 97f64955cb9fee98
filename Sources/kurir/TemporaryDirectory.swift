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

    /// Removes what is there when the process ends without a stop. The server still writes meanwhile, which ends a removal
    /// halfway, so it is tried for some seconds. Whoever writes into a directory that is gone makes none.
    static func removeAtOnce() {
        guard let path = made.withLock({ $0 }) else { return }
        for _ in 0..<500 where FileManager.default.fileExists(atPath: path) {
            remove(path)
            usleep(10_000)
        }
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
