import Foundation
import Postgres
import TestSupport
import Testing

/// What happened, as operators see it.
@Suite(.database) struct AuditTests {
    @Test func `sign-ins and failures are in the log, and a command shows them`() async throws {
        let url = TestDatabase.current.url
        let people = try await Team.make()
        try await Kurir.serving("--database", url) { kurir in
            let wrong = #"{"email":"pekara@example.com","password":"wrong-password"}"#
            #expect(try await kurir.send("POST", "/v1/sessions", wrong).status == 401)
            try await eventually {
                kurir.program.complained.contains(
                    /info event=security kind=session\.failed address=127\.0\.0\.1 account=[0-9a-f-]{36} who=[0-9a-f]{32}/
                )
            }
            #expect(try await kurir.send("GET", "/v1/me/security", as: people.store).body.contains("session.failed"))
        }
        let shown = try await Kurir.run("audit", "--database", url)
        #expect(shown.code == 0 && shown.said.split(separator: "\n").count == 5)
        #expect(shown.said.contains("session.created  account=") && shown.said.contains("session.failed  account="))
        #expect(!shown.said.contains("pekara"))
        let store = try await blocking { try BlockingConnection(url: url).query("SELECT id FROM stores")[0][0] }
        let own = try await Kurir.run("audit", "--database", url, "--account", store ?? "")
        #expect(own.said.split(separator: "\n").count == 2)
        let nobodys = try await Kurir.run("audit", "--database", url, "--account", people.couriers[0])
        let silent = try await Kurir.run(
            "audit", "--database", url, "--days", "1", "--account", "01a1fc35-081c-7c93-9601-9d67685da334")
        #expect(silent.said == "Nothing happened in the last day.\n")
        #expect(nobodys.code == 64 && nobodys.complained.contains("an account's id"))
    }
}
