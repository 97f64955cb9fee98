import TestSupport
import Testing

/// Searches, figures and exports may go to a replica, which may be behind or away.
@Suite(.database, .timeLimit(.minutes(10))) struct ReplicaTests {
    private static func courier(_ name: String, phone: String) -> String {
        """
        {"first_name":"\(name)","last_name":"Horvat","phone":"\(phone)","password":"krumpir-na-tavi"}
        """
    }

    private static let store = """
        {"name":"Pekara","email":"pekara@example.com","tax_id":"12345678903","address":"Ilica 1","phone":"01 4828 111",
         "password":"krumpir-na-tavi"}
        """

    /// Who a search finds by that name.
    private func found(_ name: String, by token: String, _ kurir: Kurir) async throws -> Bool {
        let answer = try await kurir.send("GET", "/v1/couriers?q=\(name)", as: token)
        #expect(answer.status == 200, "\(answer.body)")
        return answer.body.contains(#""first_name":"\#(name)""#)
    }

    /// What the replica does not have yet shows where a search was made.
    @Test func `searches go to the replica while it can be reached`() async throws {
        let url = TestDatabase.current.url
        try await PrivateCluster.with { replica in
            try await Kurir.serving("--database", url, "--replica", replica.url, "--throttle", "off") { kurir in
                let registered = try await kurir.send("POST", "/v1/stores", Self.store)
                let token = String(try #require(registered.body.firstMatch(of: /"token":"([^"]+)"/)).1)
                _ = try await kurir.send("POST", "/v1/couriers", Self.courier("Ana", phone: "+385911111111"))
                try await Self.copy(url, to: replica.url)
                _ = try await kurir.send("POST", "/v1/couriers", Self.courier("Iva", phone: "+385912222222"))

                try await eventually { try await found("Ana", by: token, kurir) }
                #expect(try await found("Iva", by: token, kurir) == false)
                try await replica.kill9()
                #expect(try await found("Iva", by: token, kurir))
                try await replica.start()
                try await eventually { try await !found("Iva", by: token, kurir) }
                // Another node can begin while the replica is away.
                try await replica.kill9()
                try await Kurir.serving("--database", url, "--replica", replica.url) { other in
                    let isFound = try await found("Iva", by: token, other)
                    #expect(isFound)
                }
            }
        }
    }

    private static func copy(_ url: String, to other: String) async throws {
        let copied = try Program("bash", ["-c", "pg_dump --no-owner --no-privileges '\(url)' | psql -q '\(other)'"])
        try await copied.end()
    }

    /// What the replica does not have yet shows what is read there.
    @Test func `figures and exports go to the replica, and what must be fresh does not`() async throws {
        let url = TestDatabase.current.url
        try await PrivateCluster.with { replica in
            try await Kurir.serving("--database", url, "--replica", replica.url, "--throttle", "off") { kurir in
                let team = try await Team.make(on: kurir)
                try await Self.copy(url, to: replica.url)
                let made = try await kurir.send("POST", "/v1/deliveries", team.delivery, as: team.store)
                #expect(made.status == 201, "\(made.body)")
                func tells(_ text: String, _ path: String) async throws -> Bool {
                    let answer = try await kurir.send("GET", path, as: team.store)
                    #expect(answer.status == 200, "\(answer.body)")
                    return answer.body.contains(text)
                }
                for (text, path) in [(#""created":1,"#, "/v1/stats"), ("Torta", "/v1/me/export")] {
                    try await eventually { try await !tells(text, path) }
                    try await replica.kill9()
                    #expect(try await tells(text, path))
                    try await replica.start()
                    try await eventually { try await !tells(text, path) }
                }
                for path in ["/v1/deliveries", "/v1/events"] { #expect(try await tells("Torta", path)) }
            }
        }
    }

    @Test func `a replica that means nothing is refused by its name`() async throws {
        let noURL = try await Kurir.run("serve", "--database", TestDatabase.current.url, "--replica", "somewhere")
        #expect(noURL.code == 64 && noURL.complained.contains("--replica must be given as postgresql://"))
        let noDatabase = try await Kurir.run("serve", "--replica", "postgresql://kurir@127.0.0.1/kurir")
        #expect(noDatabase.code == 64 && noDatabase.complained.contains("--replica wants --database"))
    }
}
