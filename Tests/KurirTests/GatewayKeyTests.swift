import Foundation
import TestSupport
import Testing

/// `kurir gateway-key`, as operators use it.
@Suite(.database) struct GatewayKeyTests {
    @Test(arguments: [("gateway-key", ["create", "list", "revoke"]), ("gateway", ["run", "secret"])])
    func helpOfAWordIsThatOfAllItsCommands(_ word: String, _ commands: [String]) async throws {
        let (code, said, _) = try await Kurir.run(word, "--help")
        #expect(code == 0 && commands.allSatisfy { said.contains("kurir \(word) \($0): ") })
        #expect(!said.contains("kurir serve"))
    }

    @Test func aKeyIsShownOnceWorksAndIsRevoked() async throws {
        let url = TestDatabase.current.url
        let made = try await Kurir.run(
            "gateway-key", "create", "--name", "SMS of ours", "--channel", "email,sms, email", "--database", url)
        #expect(made.code == 0 && made.complained.isEmpty)
        let key = made.said.trimmingCharacters(in: .newlines)
        #expect(made.said == key + "\n" && key.count > 40 && !key.contains(" "))
        try await Kurir.serving("--database", url, environment: ["KURIR_THROTTLE": "off"]) { kurir in
            let claim = #"{"channel":"sms","max":1,"lease_seconds":60}"#
            #expect(try await kurir.send("POST", "/v1/outbox/claim", claim, as: key).status == 200)
            let push = claim.replacingOccurrences(of: "sms", with: "push")
            #expect(try await kurir.send("POST", "/v1/outbox/claim", push, as: key).status == 403)
            let list = try await Kurir.run("gateway-key", "list", "--database", url).said
            #expect(list.contains("SMS of ours  sms,email") && !list.contains("last used never") && !list.contains(key))
            let id = String(list.prefix(36))
            let revoked = try await Kurir.run("gateway-key", "revoke", "--id", id, "--database", url)
            #expect(revoked.code == 0 && revoked.said == "The key of SMS of ours is revoked.\n")
            #expect(try await kurir.send("POST", "/v1/outbox/claim", claim, as: key).status == 401)
            #expect(try await Kurir.run("gateway-key", "revoke", "--id", id, "--database", url).code == 64)
            #expect(try await Kurir.run("gateway-key", "list", "--database", url).said.contains("revoked"))
        }
    }

    @Test func whatIsMissingOrWrongIsSaid() async throws {
        let url = TestDatabase.current.url
        for (arguments, hint) in [
            (["gateway-key", "create", "--channel", "sms"], "--name"),
            (["gateway-key", "create", "--name", "x"], "--channel push,sms,email"),
            (["gateway-key", "create", "--name", "x", "--channel", "fax"], "must be of push,sms,email"),
            (["gateway-key", "revoke"], "--id"), (["gateway-key", "revoke", "--id", "x"], "gateway-key list"),
        ] {
            let database = ["--database", url]
            let program = try Program(Kurir.path, arguments + database)
            #expect(try await program.end() == 64)
            #expect(program.complained.contains(hint), "\(program.complained)")
        }
        let slip = try await Kurir.run("gateway-key", "creat")
        #expect(slip.code == 64 && slip.complained.contains("did you mean gateway-key create?"))
    }
}
