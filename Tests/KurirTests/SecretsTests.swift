import Foundation
import Postgres
import TestSupport
import Testing

/// Whatever happens, no secret and no phone number reaches the log.
@Suite struct SecretsTests {
    private struct Said {
        var secrets: Set<String> = []

        /// Notes all tokens and codes in an answer.
        mutating func note(_ body: String) {
            for match in body.matches(of: /"(?:token|code)":"([A-Za-z0-9_-]{8,})"/) where match.1.contains(/[0-9A-Z]/) {
                secrets.insert(String(match.1))
                secrets.insert(match.1.filter { $0 != "-" })
            }
        }
    }

    @Test(arguments: ["text", "json"]) func `secrets never reach the log`(_ format: String) async throws {
        try await PrivateCluster.with { cluster in
            let kurir = try await Kurir.start(
                ["--database", cluster.url, "--log-format", format], environment: ["KURIR_THROTTLE": "off"])
            var said = Said(secrets: [
                "krumpir-na-tavi", "wrong-password", "bicikl-i-kaciga", "palačinke-s-orasima", "912345678",
                "91 234 5678",
                "14828111", "1 4828 111", "pekara@example.com", "PEKARA@", "device-token-1", "idempotency-key-1",
            ])
            try await useEverything(kurir, cluster, &said)
            try await cluster.kill9()
            try await eventually { try await kurir.send("POST", "/v1/password_resets", Self.phone).status == 503 }
            _ = try await kurir.send("POST", "/v1/sessions", Self.signIn("krumpir-na-tavi"))
            kurir.program.signal(SIGTERM)
            try await kurir.program.end()
            let log = kurir.program.complained + kurir.program.said
            #expect(log.contains("/v1/password_resets") && log.contains("503"))
            try #require(said.secrets.count >= 18)
            for secret in said.secrets { #expect(!log.contains(secret), "\(secret) is in the log") }
        }
    }

    private static let phone = #"{"phone":"+385 91 234 5678"}"#

    private static func signIn(_ password: String) -> String {
        #"{"email":"PEKARA@example.com","password":"\#(password)"}"#
    }

    private func useEverything(_ kurir: Kurir, _ cluster: PrivateCluster, _ said: inout Said) async throws {
        func call(
            _ status: Int, _ method: String, _ path: String, _ body: String? = nil, as token: String? = nil
        ) async throws -> String {
            let answer = try await kurir.send(method, path, body, as: token)
            #expect(answer.status == status, "\(method) \(path): \(answer.body)")
            said.note(answer.body)
            return answer.body
        }
        func part(_ name: String, _ body: String) throws -> String {
            try String(#require(body.firstMatch(of: try Regex("\"\(name)\":\"([^\"]+)\"")))[1].substring ?? "")
        }
        let store = """
            {"email":"pekara@example.com","password":"krumpir-na-tavi","name":"Pekara","tax_id":"12345678903",
            "address":"Ilica 1","phone":"01 4828 111"}
            """
        let owner = try part("token", try await call(201, "POST", "/v1/stores", store))
        _ = try await call(409, "POST", "/v1/stores", store)
        _ = try await call(201, "POST", "/v1/sessions", Self.signIn("krumpir-na-tavi"))
        _ = try await call(401, "POST", "/v1/sessions", Self.signIn("wrong-password"))
        _ = try await call(
            422, "POST", "/v1/stores", #"{"email":"pekara@example.com","password":"x","phone":"091 234 5678"}"#)
        let invite = try await call(201, "POST", "/v1/invites", Self.phone, as: owner)
        let code = try part("code", invite)
        _ = try await call(200, "GET", "/i/\(code)")
        let courier = try await call(
            201, "POST", "/v1/couriers",
            #"{"first_name":"Ana","last_name":"Anić","phone":"091 234 5678","password":"bicikl-i-kaciga","invite_code":"\#(code)"}"#
        )
        let token = try part("token", courier)
        _ = try await call(409, "POST", "/v1/partners", #"{"code":"\#(code)"}"#, as: token)
        _ = try await call(204, "PUT", "/v1/me/devices/device-token-1", #"{"platform":"fcm"}"#, as: token)
        _ = try await call(200, "GET", "/v1/couriers?q=912345678", as: owner)
        _ = try await call(202, "POST", "/v1/password_resets", Self.phone)
        let url = cluster.url
        let reset = try await blocking {
            try BlockingConnection(url: url).query("SELECT data->>'code' FROM outbox WHERE kind = 'password_reset'")
        }
        let resetCode = try #require(reset.first?.first ?? nil)
        said.secrets.insert(resetCode)
        _ = try await call(
            204, "PUT", "/v1/password_resets",
            #"{"phone":"091/234-5678","code":"\#(resetCode)","new_password":"palačinke-s-orasima"}"#)
        _ = try await call(401, "GET", "/v1/me", as: token)
        _ = try await call(404, "DELETE", "/v1/me/devices/device-token-2", as: owner)
        _ = try await call(204, "DELETE", "/v1/sessions/current?device=device-token-1", as: owner)
        _ = try await call(404, "GET", "/v1/912345678?token=\(token)")
    }
}
