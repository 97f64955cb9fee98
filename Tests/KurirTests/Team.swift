import Testing
import TestSupport

/// A store and its couriers, signed in.
struct Team: Sendable {
    let store: String
    let couriers: [String]
    /// A new delivery, offered to all of them.
    let delivery: String

    /// Registers them with a process that then ends.
    static func make() async throws -> Team {
        try await Kurir.serving(
            "--database", TestDatabase.current.url, environment: ["KURIR_THROTTLE": "off", "KURIR_MAX_JOBS": "10000"]
        ) { try await make(on: $0) }
    }

    static func make(on kurir: Kurir) async throws -> Team {
        func token(_ answer: (status: Int, body: String)) throws -> String {
            try String(#require(answer.body.firstMatch(of: /"token":"([^"]+)"/)).1)
        }
        let store = try token(
            try await kurir.send(
                "POST", "/v1/stores",
                """
                {"email":"pekara@example.com","password":"krumpir-na-tavi","name":"Pekara","tax_id":"12345678903",
                "address":"Ilica 1","phone":"01 4828 111"}
                """))
        var couriers: [(token: String, id: String)] = []
        for number in 1...3 {
            let made = try await kurir.send("POST", "/v1/invites", #"{"phone":"091234567\#(number)"}"#, as: store)
            let code = try #require(made.body.firstMatch(of: /"code":"([^"]+)"/)).1
            let registered = try await kurir.send(
                "POST", "/v1/couriers",
                """
                {"first_name":"Ana","last_name":"Anić","phone":"091234567\(number)","password":"krumpir-na-tavi",
                "invite_code":"\(code)"}
                """)
            let id = try #require(registered.body.firstMatch(of: /"id":"([^"]+)"/)).1
            couriers.append((try token(registered), String(id)))
        }
        let ids = couriers.map { "\"\($0.id)\"" }.joined(separator: ",")
        return Team(
            store: store, couriers: couriers.map(\.token),
            delivery: """
                {"recipient":{"first_name":"Iva","last_name":"Ivić","address":"Vukovarska 5"},"description":"Torta",\
                "courier_ids":[\(ids)]}
                """)
    }
}
