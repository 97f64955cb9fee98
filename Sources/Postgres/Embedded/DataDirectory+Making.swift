import EventLoop
import Glibc

extension DataDirectory {
    /// Makes the cluster beside its place and moves it there when it is complete, so that the remains of an interrupted
    /// attempt are never mistaken for a cluster.
    func makeCluster(durable: Bool) throws {
        let binaries = try ServerBinaries.find()
        let draft = clusterPath + ".new"
        try run(["/bin/rm", "-rf", "--", draft], directory: nil)
        guard mkdir(draft, 0o700) == 0, let file = try FileSystem.openDirectory(draft) else {
            throw SystemError("making \(draft)")
        }
        defer { close(file) }
        try giveToServerUser(file)
        let owner = try ServerUser(owning: file)
        try run(owner.command(dyingWith: "KILL", Self.initdb(binaries, durable: durable)), directory: file)
        guard rename(draft, clusterPath) == 0 else { throw SystemError("renaming \(draft)") }
        syncNames()
    }

    /// The cluster has UTF-8 and byte order, so that sorting never changes with the system.
    private static func initdb(_ binaries: ServerBinaries, durable: Bool) -> [String] {
        [
            binaries.initdb, "--pgdata=/proc/self/fd/3", "--username=\(Cluster.superuser)", "--encoding=UTF8",
            "--locale=C.UTF-8", "--data-checksums", "--auth-local=peer", "--auth-host=reject",
        ] + (durable ? [] : ["--no-sync"])
    }

    private func run(_ command: [String], directory: Int32?) throws {
        let start = logSize
        let process = try ServerProcess.start(command, directory: directory, log: log)
        let status = process.reap()
        guard status.isSuccess else {
            throw EmbeddedServerError.failed(
                "making the cluster: \(status)", log: logPath, tail: logTail(from: start))
        }
    }

    /// PostgreSQL refuses to run as root, so root's cluster belongs to the user that Debian's package makes for it.
    private func giveToServerUser(_ file: Int32) throws {
        guard geteuid() == 0 else { return }
        guard let entry = getpwnam("postgres") else { throw EmbeddedServerError.noServerUser }
        guard fchown(file, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0 else {
            throw SystemError("giving the cluster to postgres")
        }
    }

    /// Makes the renaming survive a power cut.
    private func syncNames() {
        guard let directory = try? FileSystem.openDirectory(path) else { return }
        fsync(directory)
        close(directory)
    }
}

/// The user that PostgreSQL runs as: the owner of its cluster, as it demands.
struct ServerUser {
    private let owner: stat

    /// Its number and its group's.
    var number: uid_t { owner.st_uid }
    var group: gid_t { owner.st_gid }

    init(owning file: Int32) throws {
        var owner = stat()
        guard fstat(file, &owner) == 0 else { throw SystemError("looking at the cluster") }
        self.owner = owner
    }

    /// The command as this user. It gets the signal when the thread that starts it ends, in whatever way.
    func command(dyingWith signal: String, _ command: [String]) -> [String] {
        let user = ["--reuid=\(owner.st_uid)", "--regid=\(owner.st_gid)", "--clear-groups"]
        return ["/usr/bin/setpriv", "--pdeathsig=\(signal)"] + (geteuid() == 0 ? user : []) + command
    }
}
