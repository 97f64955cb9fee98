import CLinux
import EventLoop
import Glibc

extension EmbeddedServer {
    private static let ownFiles: Set = ["postgres", "kurir.lock", "postgres.log", "kurir.key"]

    /// If this process is root's, it becomes the user that PostgreSQL runs as, who gets the data directory and what lies in
    /// it. Call it while there is one thread. Whatever is opened afterwards, that user must be able to open.
    public static func giveUpRoot(dataDirectory path: String?) throws {
        guard geteuid() == 0 else { return }
        guard let entry = getpwnam("postgres") else { throw EmbeddedServerError.noServerUser }
        do {
            try become((entry.pointee.pw_uid, entry.pointee.pw_gid), giving: path)
        } catch let error as SystemError {
            guard let path else { throw error }
            throw EmbeddedServerError.unusable(directory: path, reason: error.description)
        }
        guard let path, access(path, R_OK | W_OK | X_OK) != 0 else { return }
        throw EmbeddedServerError.unusable(
            directory: path,
            reason: "Kurir gives root up, and the user that PostgreSQL runs as does not get there")
    }

    private static func become(_ usual: (uid_t, gid_t), giving path: String?) throws {
        var (user, group) = usual
        if let path {
            try FileSystem.makeDirectory(path)
            // Nobody wants the whole of /etc given to another user, nor somebody's home with nothing but settings in it.
            let names = Set(FileSystem.entries(of: path)).subtracting([".", "..", "lost+found"])
            guard names.isEmpty || !ownFiles.isDisjoint(with: names) else {
                throw EmbeddedServerError.unusable(
                    directory: path, reason: "it is full of other things")
            }
            if let cluster = try FileSystem.openDirectory(path + "/postgres") {
                defer { close(cluster) }
                let owner = try ServerUser(owning: cluster)
                (user, group) = (owner.number, owner.group)
            }
            for name in ownFiles.map({ "/" + $0 }) + [""] where name != "/postgres" {
                guard lchown(path + name, user, group) == 0 || errno == ENOENT else {
                    throw SystemError("giving \(path + name) away")
                }
            }
        }
        guard clinux_become(user, group) == 0 else { throw SystemError("giving up root") }
    }
}
