import Postgres

/// `kurir policy`: the rules as they are in force.
enum PolicyCommand {
    /// Prints every rule that the node has set which started last.
    static func show(in database: RunningDatabase) throws {
        let rules = try database.connect().query(CommandSQL.listRules)
        let width = rules.compactMap { $0[0]?.count }.max() ?? 0
        for rule in rules {
            let name = rule[0] ?? ""
            print(name + String(repeating: " ", count: width - name.count + 2) + (rule[1] ?? ""))
        }
        if rules.isEmpty { print("There are no rules yet: kurir serve sets them when it starts.") }
    }
}

extension CommandSQL {
    static let listRules = "SELECT key, value FROM trust, jsonb_each_text(shown) ORDER BY key"
}
