import CLinux
import EventLoop
import Glibc

extension EmbeddedServer {
    private static let ownFiles: Set = ["postgres", "kurir.lock", "postgres.log", "kurir.key"]

    /// If this process is root's, it becomes the user that PostgreSQL runs as, who gets the data directory and what
    /// lies in it. Call it while there is one thread. Whatever is opened afterwards, that user must be able to open:
    /// `check` tries it as that user, before anything is made, so that a start that is refused leaves nothing behind.
    public static func giveUpRoot(dataDirectory path: String?, after check: () throws -> Void) throws {
        guard geteuid() == 0 else { return }
        guard let entry = getpwnam("postgres") else { throw EmbeddedServerError.noServerUser }
        let usual = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        let user = try naming(path) { try path.flatMap(ownerOfCluster) ?? usual }
        let getsThere = try acting(as: user) {
            try check()
            return path.map(mayReach) ?? true
        }
        if let path, !getsThere { throw outOfReach(path) }
        try naming(path) { try become(user, giving: path) }
        // A link may lead anywhere.
        if let path, access(path, R_OK | W_OK | X_OK) != 0 { throw outOfReach(path) }
    }

    /// What the system refuses is told of the directory.
    private static func naming<Value>(_ path: String?, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SystemError {
            guard let path else { throw error }
            throw EmbeddedServerError.unusable(directory: path, reason: error.description)
        }
    }

    private static func outOfReach(_ path: String) -> EmbeddedServerError {
        .unusable(
            directory: path, reason: "Kurir gives root up, and the user that PostgreSQL runs as does not get there")
    }

    private static func acting<Value>(as user: (uid_t, gid_t), _ body: () throws -> Value) throws -> Value {
        guard clinux_act_as(user.0, user.1) == 0 else { throw SystemError("acting as who serves") }
        let result = Result { try body() }
        guard clinux_act_as_root() == 0 else { throw SystemError("acting as root again") }
        return try result.get()
    }

    private static func ownerOfCluster(in path: String) throws -> (uid_t, gid_t)? {
        guard let cluster = try FileSystem.openDirectory(path + "/postgres") else { return nil }
        defer { close(cluster) }
        let owner = try ServerUser(owning: cluster)
        return (owner.number, owner.group)
    }

    /// Whether who acts now gets to where the directory is, or is to be made.
    private static func mayReach(_ path: String) -> Bool {
        var above = path
        while let slash = above.dropFirst().lastIndex(of: "/") {
            above = String(above[..<slash])
            if faccessat(AT_FDCWD, above, X_OK, AT_EACCESS) == 0 { return true }
            guard errno == ENOENT else { return false }
        }
        return faccessat(AT_FDCWD, path.hasPrefix("/") ? "/" : ".", X_OK, AT_EACCESS) == 0
    }

    private static func become(_ user: (uid_t, gid_t), giving path: String?) throws {
        if let path {
            let made = try FileSystem.makeDirectory(path)
            // Nobody wants the whole of /etc given to another user, nor somebody's home with nothing but settings in it.
            let names = Set(FileSystem.entries(of: path)).subtracting([".", "..", "lost+found"])
            guard names.isEmpty || !ownFiles.isDisjoint(with: names) else {
                throw EmbeddedServerError.unusable(
                    directory: path, reason: "it is full of other things")
            }
            // Nobody else would get through those above that are made with it.
            for place in made + ownFiles.subtracting(["postgres"]).map({ path + "/" + $0 }) + [path] {
                guard lchown(place, user.0, user.1) == 0 || errno == ENOENT else {
                    throw SystemError("giving \(place) away")
                }
            }
        }
        guard clinux_become(user.0, user.1) == 0 else { throw SystemError("giving up root") }
    }
}
