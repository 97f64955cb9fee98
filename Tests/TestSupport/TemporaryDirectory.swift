import Glibc
import Postgres

/// The directory for files of this test process. It is removed when the process has ended, even if it was killed.
public enum TemporaryDirectory {
    private static let root = make(in: "/tmp")
    /// Making a database makes a thousand files, which a disk's file system takes far longer for than memory.
    private static let rootInMemory = hasRoom("/dev/shm") ? make(in: "/dev/shm") : root
    private static let counter = Counter()

    /// A path that is unique to the caller, where nothing exists yet.
    public static func path(_ name: String, inMemory: Bool = false) -> String {
        "\(inMemory ? rootInMemory : root)/\(name)-\(counter.next())"
    }

    private static func make(in parent: String) -> String {
        var template = Array("\(parent)/kurir-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("no temporary directory: errno \(errno)") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // A Kurir that gives root up must get to its data.
        chmod(path, 0o711)
        startJanitor(for: path)
        return path
    }

    /// Whether a cluster of tests fits in it: some gigabytes, of which containers often have but 64 MB.
    private static func hasRoom(_ path: String) -> Bool {
        var room = statvfs()
        return access(path, W_OK) == 0 && statvfs(path, &room) == 0 && room.f_bavail * room.f_frsize > 4 << 30
    }

    /// Notes a `kurir` that runs for a test, which must not outlive this process. Remove the note when it has ended.
    public static func note(running number: Int32) -> String {
        let file = path("running")
        let handle = open(file, O_CREAT | O_WRONLY, 0o600)
        let text = "\(number)"
        write(handle, text, text.utf8.count)
        close(handle)
        return file
    }

    /// Waits for this process to end, ends programs that it left running, waits for their servers, and removes the
    /// files.
    private static func startJanitor(for path: String) {
        let script = """
            tail --pid="$1" -f /dev/null
            for file in "$2"/running-*; do
                number=$(cat "$file") && [ "$(cat /proc/$number/comm)" = kurir ] && kill -KILL $number
            done
            for _ in $(seq 100); do
                find "$2" -name postmaster.pid | grep -q . || break
                sleep 0.1
            done
            rm -rf -- "$2"
            """
        _ = try? ServerProcess.start(["/bin/sh", "-c", script, "janitor", "\(getpid())", path])
    }
}
