import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// `kurir account list, show, block, unblock, export, erase`, as those use them who run Kurir.
@Suite(.database) struct AccountDepartureTests {
    private func account(_ command: String, _ more: String...) async throws -> (
        code: Int32, said: String, complained: String
    ) {
        let arguments = ["account", command] + more + ["--as", "Mia", "--database", TestDatabase.current.url]
        let program = try Program(Kurir.path, arguments, environment: ["KURIR_KEY_FILE": Kurir.keyFile])
        let code = try await program.end()
        return (code, program.said, program.complained)
    }

    private func query(_ sql: String) async throws -> [[String?]] {
        let url = TestDatabase.current.url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    private func signIn(_ kurir: Kurir, _ login: String) async throws -> (status: Int, body: String) {
        try await kurir.send("POST", "/v1/sessions", #"{\#(login),"password":"krumpir-na-tavi"}"#)
    }

    @Test func `accounts are shown, blocked everywhere at once, and let in again`() async throws {
        let url = TestDatabase.current.url
        try await Kurir.serving("--database", url, "--throttle", "off") { here in
            try await Kurir.serving("--database", url, "--throttle", "off") { there in
                let form = #"{"first_name":"Ana","last_name":"Anić","phone":"0912345678","password":"krumpir-na-tavi"}"#
                let made = try await here.send("POST", "/v1/couriers", form).body
                let token = String(try #require(made.firstMatch(of: /"token":"([^"]+)"/)).1)
                for node in [here, there] {
                    for _ in 0..<4 { try #require(try await node.send("GET", "/v1/me", as: token).status == 200) }
                }
                let listed = try await account("list", "--kind", "courier", "--q", "anic")
                #expect(listed.code == 0 && listed.said.hasSuffix("courier  Ana Anić  +385912345678\n"))
                #expect(try await account("list", "--kind", "store").said == "There is no such account.\n")
                let shown = try await account("show", "0912345678")
                #expect(
                    shown.code == 0 && shown.said.contains("sessions  1\n") && shown.said.contains("last name  Anić\n"))

                let hasty = try await account("block", "0912345678")
                #expect(hasty.code == 64 && hasty.complained.contains("--reason"))
                let blocked = try await account("block", "0912345678", "--reason", "stole a cake")
                #expect(blocked.code == 0 && blocked.said.hasSuffix(" is blocked.\n"))
                for node in [here, there] {
                    try await eventually { try await node.send("GET", "/v1/me", as: token).status == 401 }
                    #expect(try await signIn(node, #""phone":"0912345678""#).body.contains(#""code":"blocked""#))
                }
                #expect(try await account("list").said.contains("  blocked\n"))
                let again = try await account("block", "0912345678", "--reason", "once more")
                #expect(again.code == 1 && again.complained.contains("is blocked already"))
                #expect(try await account("unblock", "0912345678").code == 0)
                #expect(try await account("unblock", "0912345678").code == 1)
                #expect(try await signIn(there, #""phone":"0912345678""#).status == 201)
            }
        }
        let audit = try await Kurir.run("audit", "--database", url).said
        for kind in ["listed", "shown", "blocked", "unblocked"] {
            #expect(audit.contains("account.\(kind)  "), "\(kind)")
        }
        #expect(
            audit.contains(/account\.blocked  account=[0-9a-f-]{36}  detail=\{"as": "Mia", "reason": "stole a cake"\}/))
    }

    @Test func `an account is exported and erased, but not with something under way`() async throws {
        let people = try await Team.make()
        try await Kurir.serving("--database", TestDatabase.current.url, "--throttle", "off") { kurir in
            let courier = try #require(try await query("SELECT id FROM couriers ORDER BY id LIMIT 1")[0][0])
            let form = """
                {"recipient":{"first_name":"Iva","last_name":"Ivić","address":"Ilica 1"},"description":"Torta",
                "courier_ids":["\(courier)"]}
                """
            let made = try await kurir.send("POST", "/v1/deliveries", form, as: people.store)
            try #require(made.status == 201, "\(made.body)")
            let id = String(try #require(made.body.firstMatch(of: /^\{"id":"([^"]+)"/)).1)
            var carrier = ""
            for token in people.couriers
            where try await kurir.send("POST", "/v1/deliveries/\(id)/accept", as: token).status == 200 {
                carrier = token
            }

            let early = try await account("erase", courier, "--reason", "asked for it")
            #expect(early.code == 1 && early.complained.hasSuffix(" first:\n  \(id)\n"))
            #expect(try await kurir.send("POST", "/v1/deliveries/\(id)/deliver", as: carrier).status == 200)

            let exported = try await account("export", courier)
            let json = try #require(JSON(Array(exported.said.utf8)))
            guard case .object(let lists) = json, case .array(let deliveries)? = lists["deliveries"] else {
                Issue.record("\(exported)")
                return
            }
            #expect(exported.code == 0 && deliveries.count == 1 && lists["account"] != nil)

            let erased = try await account("erase", courier, "--reason", "asked for it")
            #expect(erased.code == 0 && erased.said.hasSuffix(" is erased.\n"))
            #expect(try await query("SELECT first_name, phone FROM couriers WHERE id = '\(courier)'") == [["", nil]])
            let twice = try await account("erase", courier)
            #expect(twice.code == 1 && twice.complained.contains("erased already"))
            #expect(try await account("list", "--kind", "courier").said.contains("courier  erased\n"))
            #expect(try await kurir.send("GET", "/v1/deliveries/\(id)", as: people.store).status == 200)
            let noted = """
                SELECT kind, detail->>'as', detail->>'reason' FROM audit
                WHERE account_id = '\(courier)' AND kind IN ('account.exported', 'account.erased') ORDER BY id
                """
            let events = try await query(noted)
            #expect(events == [["account.exported", "Mia", nil], ["account.erased", "Mia", "asked for it"]])
        }
    }
}
