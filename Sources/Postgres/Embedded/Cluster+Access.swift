import EventLoop
import Glibc

/// Who may come in, and as whom.
extension Cluster {
    /// The role that renames the superuser of a cluster from before, since nobody renames itself.
    private static let renamer = "kurir_renamer"

    /// Lets the users of this machine in who have to do with the cluster: its owner, whoever runs Kurir, and root.
    /// PostgreSQL sees by the socket who it is that asks.
    func letIn() throws {
        let names = Set(try [ServerUser(owning: directory).number, geteuid(), 0].compactMap(Self.name))
        let roles = [Self.user, Self.superuser, Self.renamer]
        let map = names.sorted().flatMap { name in roles.map { "kurir \"\(name)\" \($0)\n" } }
        try write("local all all peer map=kurir\n", to: "pg_hba.conf")
        try write(map.joined(), to: "pg_ident.conf")
    }

    private static func name(of user: uid_t) -> String? {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) }
    }

    private func write(_ text: String, to name: String) throws {
        let file = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemError("opening \(name)") }
        defer { close(file) }
        let owner = try ServerUser(owning: directory)
        guard Glibc.write(file, text, text.utf8.count) == text.utf8.count,
            geteuid() != 0 || fchown(file, owner.number, owner.group) == 0
        else { throw SystemError("writing \(name)") }
    }

    /// Makes the product's role and database. An interrupted start may have left the cluster without them.
    func makeDatabase() throws {
        try takeSuperuserFromProduct()
        let connection = try BlockingConnection(url: url(database: "postgres", as: Self.superuser))
        func has(_ table: String, _ name: String) throws -> Bool {
            try connection.query(
                "SELECT 1 FROM pg_\(table) WHERE \(table == "roles" ? "rolname" : "datname") = $1", [name]
            )
            .isEmpty == false
        }
        try connection.execute("DROP ROLE IF EXISTS \(Self.renamer)")
        if try !has("roles", Self.user) { try connection.execute("CREATE ROLE \(Self.user) LOGIN") }
        // The product's role may not make roles.
        if try !has("roles", "kurir_gateway") { try connection.execute("CREATE ROLE kurir_gateway") }
        if try !has("database", Self.user) {
            try connection.execute("CREATE DATABASE \(Self.user) OWNER \(Self.user)")
        }
    }

    /// In a cluster from before, the product's role is the superuser. That gets the usual name, and the product a role of
    /// its own with everything that is in its database, all at once.
    private func takeSuperuserFromProduct() throws {
        guard let former = try? BlockingConnection(url: url(database: "postgres", as: Self.user)),
            try former.query("SELECT 1 FROM pg_roles WHERE oid = 10 AND rolname = current_user") != []
        else { return }
        if try former.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [Self.renamer]).isEmpty {
            try former.execute("CREATE ROLE \(Self.renamer) SUPERUSER LOGIN")
        }
        let isThere = try !former.query("SELECT 1 FROM pg_database WHERE datname = $1", [Self.user]).isEmpty
        let renaming = try BlockingConnection(
            url: url(database: isThere ? Self.user : "postgres", as: Self.renamer))
        try renaming.execute(
            """
            BEGIN;
            ALTER ROLE \(Self.user) RENAME TO \(Self.superuser);
            CREATE ROLE \(Self.user) LOGIN;
            \(isThere ? Self.givingAway : "")
            COMMIT
            """)
    }

    private static let givingAway = """
        ALTER DATABASE \(user) OWNER TO \(user);
        DO $$
        DECLARE
            giving text;
        BEGIN
            FOR giving IN
                SELECT format('ALTER %s %s OWNER TO \(user)', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE'
                    ELSE 'TABLE' END, oid::regclass)
                FROM pg_class c
                WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'S') AND relowner = 10
                    AND NOT (relkind = 'S' AND EXISTS (
                        SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype IN ('a', 'i')))
                UNION ALL
                SELECT format('ALTER ROUTINE %s OWNER TO \(user)', oid::regprocedure) FROM pg_proc
                WHERE pronamespace = 'public'::regnamespace AND proowner = 10
                UNION ALL
                SELECT format('ALTER TYPE %s OWNER TO \(user)', oid::regtype) FROM pg_type
                WHERE typnamespace = 'public'::regnamespace AND typowner = 10 AND typtype IN ('e', 'd')
            LOOP
                EXECUTE giving;
            END LOOP;
        END
        $$;
        """
}
