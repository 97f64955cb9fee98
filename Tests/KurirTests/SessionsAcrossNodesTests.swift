import Foundation
import Postgres
import TestSupport
import Testing

/// Two processes on one database. When one of them ends a session, it ends on the other, too.
@Suite(.database) struct SessionsAcrossNodesTests {
    private static let password = "krumpir-na-tavi"

    /// Gives `body` both nodes, and a courier with two sessions, one of which is about to end.
    private func withTwoNodes(
        _ body: (_ here: Kurir, _ there: Kurir, _ ending: String, _ other: String) async throws -> Void
    ) async throws {
        let environment = ["KURIR_THROTTLE": "off", "KURIR_LOOPS": "2", "KURIR_POOL_SIZE": "2"]
        let url = TestDatabase.current.url
        try await Kurir.serving("--database", url, environment: environment) { here in
            try await Kurir.serving("--database", url, environment: environment) { there in
                let registered = try await here.send(
                    "POST", "/v1/couriers",
                    #"{"first_name":"Ana","last_name":"Anić","phone":"0912345678","password":"\#(Self.password)"}"#)
                let signedIn = try await there.send(
                    "POST", "/v1/sessions", #"{"phone":"0912345678","password":"\#(Self.password)"}"#)
                try await body(here, there, try token(registered.body), try token(signedIn.body))
            }
        }
    }

    private func token(_ body: String) throws -> String {
        try String(#require(body.firstMatch(of: /"token":"([^"]+)"/)).1)
    }

    /// Ends a session here by `end`, while the other node is asked all the time and so remembers it.
    private func expectEnd(
        _ here: Kurir, _ there: Kurir, of token: String, by end: () async throws -> Int
    ) async throws {
        for node in [here, there] {
            for _ in 0..<4 { try #require(try await node.send("GET", "/v1/me", as: token).status == 200) }
        }
        #expect(try await end() == 204)
        let ended = ContinuousClock.now
        for _ in 0..<4 { #expect(try await here.send("GET", "/v1/me", as: token).status == 401) }
        // A tenth of a second later, the other node knows it.
        try await Task.sleep(until: ended + .milliseconds(100))
        for _ in 0..<4 { #expect(try await there.send("GET", "/v1/me", as: token).status == 401) }
    }

    /// The other node's ear stands still, as when the network swallows its connection.
    @Test func `a node that cannot hear the other trusts no session it remembers`() async throws {
        try await withTwoNodes { here, there, ending, _ in
            let database = TestDatabase.current
            var ears: [pid_t] = []
            // A node that is asked has its ear prove within a tenth of a second that it missed nothing.
            while ears.count < 2 {
                for node in [here, there] {
                    try #require(try await node.send("GET", "/v1/me", as: ending).status == 200)
                }
                ears = try await blocking {
                    try database.connect().query(
                        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT'")
                }.compactMap { $0[0].flatMap { pid_t($0) } }
            }
            for ear in ears { kill(ear, SIGSTOP) }
            defer { for ear in ears { kill(ear, SIGCONT) } }
            try await expectEnd(here, there, of: ending) {
                try await here.send("DELETE", "/v1/sessions/current", as: ending).status
            }
        }
    }

    /// The kernel of a process that stands still says that all is well with its connections.
    @Test func `a node that stands still holds up nobody's streams on the other for long`() async throws {
        try await withTwoNodes { here, there, token, _ in
            func stream(_ node: Kurir) throws -> Program {
                try Program(
                    "curl",
                    [
                        "-sN", "-w", "%{http_code}", "-H", "Authorization: Bearer \(token)", "-H",
                        "Accept: text/event-stream", node.address + "/v1/events",
                    ])
            }
            func wait() async throws -> Int {
                try await there.ask("GET", "/v1/events?after=now&wait_seconds=1", as: token).status
            }
            let streams = try (0..<8).map { _ in try stream(here) }
            try await eventually { streams.allSatisfy { $0.said.contains("welcome") } }
            #expect(try await wait() == 429)
            here.program.signal(SIGSTOP)
            try await eventually { try await wait() == 200 }
            here.program.signal(SIGCONT)
            for stream in streams {
                stream.signal(SIGKILL)
                try await stream.end()
            }
        }
    }

    @Test func `signing out on one node ends the session on the other`() async throws {
        try await withTwoNodes { here, there, ending, _ in
            try await expectEnd(here, there, of: ending) {
                try await here.send("DELETE", "/v1/sessions/current", as: ending).status
            }
        }
    }

    @Test func `removing a session on one node ends it on the other`() async throws {
        try await withTwoNodes { here, there, ending, other in
            let list = try await here.send("GET", "/v1/sessions", as: ending).body
            let current = try #require(list.firstMatch(of: /"id":"([^"]+)"[^}]*"current":true/)).1
            try await expectEnd(here, there, of: ending) {
                try await here.send("DELETE", "/v1/sessions/\(current)", as: other).status
            }
            #expect(try await there.send("GET", "/v1/me", as: other).status == 200)
        }
    }

    @Test func `changing the password on one node ends other sessions on both`() async throws {
        try await withTwoNodes { here, there, ending, other in
            try await expectEnd(here, there, of: ending) {
                try await here.send(
                    "PUT", "/v1/me/password",
                    #"{"current_password":"\#(Self.password)","new_password":"palačinke-s-orasima"}"#, as: other
                ).status
            }
            #expect(try await there.send("GET", "/v1/me", as: other).status == 200)
        }
    }

    @Test func `resetting the password on one node ends all sessions on both`() async throws {
        try await withTwoNodes { here, there, ending, other in
            #expect(try await here.send("POST", "/v1/password_resets", #"{"phone":"0912345678"}"#).status == 202)
            let database = TestDatabase.current
            let codes = try await blocking {
                try database.connect().query("SELECT data->>'code' FROM outbox WHERE kind = 'password_reset'")
            }
            let code = try #require(codes.first?.first ?? nil)
            try await expectEnd(here, there, of: ending) {
                try await here.send(
                    "PUT", "/v1/password_resets",
                    #"{"phone":"0912345678","code":"\#(code)","new_password":"palačinke-s-orasima"}"#
                ).status
            }
            #expect(try await there.send("GET", "/v1/me", as: other).status == 401)
        }
    }
}
