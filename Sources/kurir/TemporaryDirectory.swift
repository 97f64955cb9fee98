import EventLoop
import FoundationEssentials
import Glibc

/// A directory for the duration of a demo.
enum TemporaryDirectory {
    static func make() throws -> String {
        var template = Array("/tmp/kurir-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("making a directory in /tmp") }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
