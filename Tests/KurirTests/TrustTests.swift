import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// The rules of what it may cost, as operators see and set them.
@Suite(.database) struct TrustTests {
    private let url = TestDatabase.current.url

    @Test func `the policy is shown as it is in force`() async throws {
        #expect(try await Kurir.run("migrate", "--database", url).code == 0)
        #expect(try await Kurir.run("policy", "--database", url).said.contains("no rules yet"))
        try await Kurir.serving("--database", url, "--sms-budget", "7,3,50", "--sms-countries", "HR,SI") { _ in
            let said = try await Kurir.run("policy", "--database", url).said
            #expect(said.contains("sms.store") && said.contains("7 a day") && said.contains("50 an hour"))
            #expect(said.contains("HR,SI") && said.contains("+38572"))
            #expect(said.contains(/verification +off/) && said.contains(/throttle +on\n/))
            #expect(said.contains(/stores\.new +5 an hour/) && said.contains(/store\.files +307200 KiB an hour/))
        }
        try await Kurir.serving("--database", url, "--throttle", "10", "--verify", "on") { _ in
            let said = try await Kurir.run("policy", "--database", url).said
            #expect(said.contains(/verification +on/) && said.contains(/throttle +on, with 10 times as many tries/))
            #expect(said.contains(/stores\.new +50 an hour/) && said.contains(/store\.deliveries +6000 an hour/))
        }
        try await Kurir.serving("--database", url, "--throttle", "off") { _ in
            let said = try await Kurir.run("policy", "--database", url).said
            #expect(said.contains(/sms\.store +off/) && said.contains(/sms\.countries +HR/))
            #expect(said.contains(/stores\.new +off/) && said.contains(/courier\.writes +off/))
        }
    }

    @Test func `a store is approved by hand`() async throws {
        try await Kurir.serving("--database", url, "--store-approval", "on") { kurir in
            let form =
                #"{"email":"a@b.example","password":"krumpir-na-tavi","name":"P","tax_id":"12345678903","address":"I","phone":"014828111"}"#
            #expect(try await kurir.send("POST", "/v1/stores", form).status == 201)
            let connection = try TestDatabase.current.connect()
            let id = try #require(try connection.query("SELECT id FROM accounts WHERE NOT approved")[0][0])
            #expect(try await Kurir.run("account", "approve", id, "--database", url).said == "\(id) is approved.\n")
            #expect(try connection.query("SELECT FROM accounts WHERE NOT approved").isEmpty)
            #expect(try await Kurir.run("account", "approve", "--database", url).code == 64)
            let nobody = "01a1fc35-081c-7c93-9601-9d67685da334"
            #expect(
                try await Kurir.run("account", "approve", nobody, "--database", url).complained.contains("no account"))
        }
    }

    @Test func `a number is stopped and allowed by hand`() async throws {
        try await Kurir.serving("--database", url) { _ in
            let stopped = try await Kurir.run("sms", "stop", "091 234 5678", "--database", url)
            #expect(stopped.code == 0 && stopped.said == "+385912345678 gets no SMS any more.\n")
            let connection = try TestDatabase.current.connect()
            func refusal() throws -> String? { try connection.query("SELECT sms_refusal('+385912345678')")[0][0] }
            #expect(try refusal() == "opted_out")
            #expect(try await Kurir.run("sms", "allow", "+385912345678", "--database", url).code == 0)
            #expect(try refusal() == nil)
            #expect(try await Kurir.run("sms", "stop", "--database", url).code == 64)
            #expect(
                try await Kurir.run("sms", "stop", "nobody", "--database", url).complained.contains("no phone number"))
        }
    }

    @Test func `log and metrics tell that a budget is nearly used, and that it is`() async throws {
        try await Kurir.serving("--database", url, "--sms-budget", "100,5,1000", "--log-format", "json") { kurir in
            let connection = try TestDatabase.current.connect()
            for number in 0..<100 {
                _ = try connection.query(
                    "SELECT take_sms('01a1fc35-081c-7c93-9601-9d67685da334', $1, false)",
                    ["+38591\(1_000_000 + number)"])
            }
            for percent in [80, 100] {
                try await eventually {
                    kurir.program.complained.contains(
                        #""budget":"store","of":"01a1fc35-081c-7c93-9601-9d67685da334","used_percent":\#(percent)"#)
                }
            }
            let metrics = try await kurir.figures()
            #expect(metrics.contains(#"kurir_sms_budget_used_ratio{budget="store"} "#))
            #expect(
                metrics.contains(#"kurir_sms_budget_used_ratio{budget="all"} 0.0"#)
                    || metrics.contains(#"budget="all"} 0.1"#))
        }
    }
}
