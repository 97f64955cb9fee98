import Crypto
import HTTP
import TestSupport
import Testing

/// What people do to prove who they are.
extension ServedProduct {
    /// Registers a courier by the API, who has nothing proven yet if that is asked for.
    func registerCourier(_ phone: String = SamplePeople.phone(), _ more: [String: JSON] = [:]) async throws -> Person {
        let form = SamplePeople.courierForm().with(["phone": .string(phone)]).with(more)
        return try await registered("/v1/couriers", form, login: phone)
    }

    /// Registers a store, in the same way.
    func registerStore(_ more: [String: JSON] = [:]) async throws -> Person {
        let form = SamplePeople.storeForm().with(more)
        return try await registered("/v1/stores", form, login: form["email"].string ?? "")
    }

    private func registered(_ path: String, _ form: JSON, login: String) async throws -> Person {
        let answer = try await post(path, form)
        try #require(answer.status == 201, "\(answer.json)")
        return Person(
            id: try #require(answer.json["account"]["id"].string),
            token: try #require(answer.json["session"]["token"].string), login: login)
    }

    /// The newest code that was sent to a place.
    func code(to place: String, kind: String = "confirmation_code") async throws -> String {
        let rows = try await execute(
            """
            SELECT data->>'code' FROM outbox WHERE kind = '\(kind)' AND address = '\(place)' ORDER BY seq DESC LIMIT 1
            """)
        return try #require(rows.first?.first ?? nil, "no code went to \(place)")
    }

    /// Types a code in.
    func confirm(
        _ code: String, _ what: String = "phone", as person: Person, headers: [String: String] = [:]
    ) async throws -> Answer {
        try await post("/v1/me/\(what)/confirm", ["code": .string(code)], as: person.token, headers: headers)
    }

    /// Asks to sign in with another number.
    func change(phone: String, as person: Person, password: String = SamplePeople.password) async throws -> Answer {
        try await call(
            "PUT", "/v1/me/phone", ["phone": .string(phone), "current_password": .string(password)], as: person.token)
    }

    func signIn(_ login: String, _ password: String = SamplePeople.password, from address: String? = nil) async throws
        -> Answer
    {
        let name = login.hasPrefix("+") ? "phone" : "email"
        return try await post("/v1/sessions", [name: .string(login), "password": .string(password)])
    }

    /// What was sent to a place, by kind, oldest first.
    func kinds(to place: String) async throws -> [String] {
        try await execute("SELECT kind FROM outbox WHERE address = '\(place)' ORDER BY seq").compactMap { $0[0] }
    }
}

/// A code that is not that one.
func otherCode(than code: String) -> String {
    String(code.map { $0 == "9" ? "0" : Character(String(($0.wholeNumberValue ?? 0) + 1)) })
}
