import Glibc
import Postgres

/// Where this test process keeps its files: gone when the process has ended, also when it was killed.
public enum TemporaryDirectory {
    private static let root: String = {
        var template = Array("/tmp/kurir-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("no temporary directory: errno \(errno)") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        startJanitor(for: path)
        return path
    }()

    private static let counter = Counter()

    /// A path of its own for whoever asks; nothing is there yet.
    public static func path(_ name: String) -> String {
        "\(root)/\(name)-\(counter.next())"
    }

    /// Waits for this process to end and for the servers that die with it, then clears up.
    private static func startJanitor(for path: String) {
        let script = """
            tail --pid="$1" -f /dev/null
            for _ in $(seq 100); do
                find "$2" -name postmaster.pid | grep -q . || break
                sleep 0.1
            done
            rm -rf -- "$2"
            """
        _ = try? ServerProcess.start(["/bin/sh", "-c", script, "janitor", "\(getpid())", path])
    }
}
