import CLibpq

/// What can be said of a database's address before anybody connects to it.
public enum DatabaseURL {
    /// The address cannot be used. Says what to write instead, and quotes nothing: it may hold a password.
    public struct Invalid: Error, CustomStringConvertible {
        /// What to tell a person.
        public var description: String {
            "the database URL cannot be read: write it as postgresql://USER:PASSWORD@HOST:PORT/NAME,"
                + " with special characters in it percent-encoded (@ is %40, : is %3A, / is %2F)"
        }
    }

    /// Refuses a URL that libpq cannot read, and one whose unescaped password would run over into the host:
    /// libpq would print that host.
    public static func check(_ url: String) throws {
        guard let options = PQconninfoParse(url, nil) else { throw Invalid() }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, !isSound(String(cString: value), for: String(cString: keyword)) {
                throw Invalid()
            }
            option += 1
        }
    }

    private static func isSound(_ value: String, for keyword: String) -> Bool {
        switch keyword {
        case "host", "hostaddr": value.split(separator: ",").allSatisfy { $0.hasPrefix("/") || !$0.contains("@") }
        case "port": value.allSatisfy { "0123456789,".contains($0) }
        default: true
        }
    }
}
