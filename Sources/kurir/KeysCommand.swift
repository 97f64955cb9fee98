/// `kurir keys`: the keys that what is secret in the database is sealed with.
enum KeysCommand {
    static func make(_ settings: GivenSettings) throws {
        guard let path = settings.text(.keyFile) else { throw UsageError("which file? kurir keys make FILE") }
        let file = KeyFile(path)
        let isFurther = file.exists
        try file.make()
        print(
            isFurther
                ? "\(path) has a new key before the others. When every node has the file, kurir keys rotate seals with it."
                : "\(path) has a key. Keep a copy elsewhere than the database's backups: they are worth nothing without it."
        )
    }

    static func adopt(_ database: RunningDatabase) throws {
        let name = try database.sealedSecret().adopt()
        print(name.map { "What is secret is sealed with the key \($0)." } ?? "What is secret is sealed already.")
    }

    static func rotate(_ database: RunningDatabase) throws {
        let name = try database.sealedSecret().rotate()
        print(
            name.map {
                "What is secret is sealed with the key \($0): no other key is needed any more, but for backups."
            }
                ?? "What is secret is sealed with the first key already.")
    }
}
