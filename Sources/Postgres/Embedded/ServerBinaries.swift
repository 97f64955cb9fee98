import Glibc

/// Where PostgreSQL's programs are.
struct ServerBinaries: Sendable, Equatable {
    let directory: String

    var postgres: String { directory + "/postgres" }
    var initdb: String { directory + "/initdb" }

    /// The programs for a cluster of that major version, or the newest ones for a new cluster.
    ///
    /// Debian keeps versions side by side. Elsewhere `PATH` leads to one, which checks the cluster's version itself.
    static func find(
        version: Int? = nil, debian: String = "/usr/lib/postgresql",
        path: String = getenv("PATH").map { String(cString: $0) } ?? ""
    ) throws -> ServerBinaries {
        let installed = FileSystem.entries(of: debian).compactMap { Int($0) }.filter { version == nil || $0 == version }
        let places = installed.sorted(by: >).map { "\(debian)/\($0)/bin" } + path.split(separator: ":").map(String.init)
        guard let found = places.lazy.map(ServerBinaries.init).first(where: \.areThere) else {
            throw EmbeddedServerError.notInstalled(version: version)
        }
        return found
    }

    private var areThere: Bool {
        access(postgres, X_OK) == 0 && access(initdb, X_OK) == 0
    }
}
