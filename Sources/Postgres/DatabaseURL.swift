import CLibpq

/// Checks a database's address before anybody connects to it.
public enum DatabaseURL {
    /// The address cannot be used. The text does not quote it, since an address may hold a password.
    public struct Invalid: Error, CustomStringConvertible {
        /// What to tell a person.
        public var description: String {
            "the database URL cannot be read: write it as postgresql://USER:PASSWORD@HOST:PORT/NAME,"
                + " with special characters in it percent-encoded (@ is %40, : is %3A, / is %2F)"
        }
    }

    /// Throws ``Invalid`` if nobody could connect with it.
    public static func check(_ url: String) throws { _ = try settings(in: url) }

    /// The settings that libpq reads from a URL, by keyword.
    ///
    /// Refuses a URL that libpq cannot read, and one whose unescaped password runs over into the host, the port or the
    /// name of the database, since libpq and the server would print those.
    static func settings(in url: String) throws -> [String: String] {
        guard let options = PQconninfoParse(url, nil) else { throw Invalid() }
        let settings = take(options)
        guard settings.allSatisfy({ isSound($0.value, for: $0.key) }) else { throw Invalid() }
        return settings
    }

    /// The settings that libpq uses where a URL has none, from the environment: `PGHOST`, `PGOPTIONS` and so on.
    static func settingsOfEnvironment() -> [String: String] {
        PQconndefaults().map { take($0) } ?? [:]
    }

    private static func take(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return settings
    }

    private static func isSound(_ value: String, for keyword: String) -> Bool {
        switch keyword {
        case "host", "hostaddr": value.split(separator: ",").allSatisfy { $0.hasPrefix("/") || !$0.contains("@") }
        case "port": value.allSatisfy { "0123456789,".contains($0) }
        case "dbname": !value.contains("@")
        default: true
        }
    }
}
