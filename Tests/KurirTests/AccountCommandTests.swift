import Foundation
import Postgres
import TestSupport
import Testing

/// `kurir account`, as those use it who run Kurir, and `--verify`.
@Suite(.database) struct AccountCommandTests {
    private func verify(_ whom: String) async throws -> (code: Int32, said: String, complained: String) {
        try await Kurir.run("account", "verify", whom, "--as", "Ana", "--database", TestDatabase.current.url)
    }

    /// Registers a courier, and gives its id and token.
    private func register(_ kurir: Kurir, _ phone: String) async throws -> (id: String, token: String) {
        let form = """
            {"first_name":"Ana","last_name":"Anić","phone":"\(phone)","password":"krumpir-na-tavi"}
            """
        let (status, body) = try await kurir.send("POST", "/v1/couriers", form)
        try #require(status == 201, "\(body)")
        let id = try #require(body.firstMatch(of: #/"account":\{"id":"([^"]+)"/#)?.1)
        return (String(id), String(try #require(body.firstMatch(of: #/"token":"([^"]+)"/#)?.1)))
    }

    @Test func `a number is taken as proven by hand, by the same rule as by its code`() async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, "--verify", "on") { kurir in
            let (one, other) = (
                try await register(kurir, "+385912345678"), try await register(kurir, "+385912345678")
            )
            #expect(try await kurir.get("/v1/about").body.contains(#""verification":"on""#))
            // A number that several say is theirs is nobody's name.
            let ambiguous = try await verify("091 234 5678")
            #expect(ambiguous.code == 64 && ambiguous.complained.contains(one.id))
            #expect(ambiguous.complained.contains(other.id))
            let done = try await verify(other.id)
            #expect(done.code == 0 && done.said.contains("+385912345678 is taken as proven"))
            #expect(try await kurir.send("GET", "/v1/me", as: other.token).body.contains(#""phone_verified":true"#))
            #expect(try await kurir.send("GET", "/v1/me", as: one.token).body.contains(#""phone":null"#))
            // It can be said again, also by the number now, and the other one has nothing to prove.
            #expect(try await verify("+385912345678").code == 0)
            let lost = try await verify(one.id)
            #expect(lost.code == 1 && lost.complained.contains("nothing to sign in with"))
            let gone = TestDatabase.current
            _ = try await blocking {
                try gone.connect().query("UPDATE accounts SET erased_at = now() WHERE id = '\(one.id)'")
            }
            let erased = try await verify(one.id)
            #expect(erased.code == 1 && erased.complained.contains("is erased"))
            #expect(try await verify("nobody@example.com").complained.contains("there is no account"))
            let missing = try await Kurir.run("account", "verify", "--database", TestDatabase.current.url)
            #expect(missing.code == 64 && missing.complained.contains("which account?"))
            #expect(
                try await audit() == [
                    "account.verified of \(other.id) by Ana", "account.verified of \(other.id) by Ana",
                ])
        }
    }

    /// What operators did, oldest first.
    private func audit() async throws -> [String] {
        let lines = try await Kurir.run("audit", "--database", TestDatabase.current.url).said.split(separator: "\n")
        return lines.compactMap { line in
            line.firstMatch(of: #/  (account\.\w+)  account=(\S+).*"as": "(\w+)"/#).map {
                "\($0.1) of \($0.2) by \($0.3)"
            }
        }
    }

    @Test func `a store that waits is approved by hand, which is noted`() async throws {
        try await Kurir.serving("--database", TestDatabase.current.url, "--store-approval", "on") { kurir in
            let form = """
                {"email":"pekara@example.com","password":"krumpir-na-tavi","name":"Pekara","tax_id":"12345678903",
                "address":"Ilica 1","phone":"01 4828 111"}
                """
            let (status, body) = try await kurir.send("POST", "/v1/stores", form)
            try #require(status == 201, "\(body)")
            let token = String(try #require(body.firstMatch(of: #/"token":"([^"]+)"/#)?.1))
            let id = String(try #require(body.firstMatch(of: #/"account":\{"id":"([^"]+)"/#)?.1))
            let invite = #"{"phone":"+385912345678"}"#
            #expect(try await kurir.send("POST", "/v1/invites", invite, as: token).body.contains("not_approved"))
            let done = try await Kurir.run(
                "account", "approve", "pekara@example.com", "--as", "Ana", "--database", TestDatabase.current.url)
            #expect(done.code == 0 && done.said.contains("\(id) is approved"))
            // Sessions that are remembered hear of it.
            try await eventually { try await kurir.send("POST", "/v1/invites", invite, as: token).status == 201 }
            #expect(try await audit() == ["account.approved of \(id) by Ana"])
        }
    }

    @Test func `nothing is to be proven where nobody else can come`() async throws {
        try await Kurir.serving("--database", TestDatabase.current.url) { kurir in
            #expect(try await kurir.get("/v1/about").body.contains(#""verification":"off""#))
            let courier = try await register(kurir, "+385912345678")
            #expect(try await kurir.send("GET", "/v1/me", as: courier.token).body.contains(#""phone_verified":true"#))
        }
    }
}
