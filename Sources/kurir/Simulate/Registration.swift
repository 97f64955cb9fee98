import Curl
import HTTP
import Simulation

/// Registers the people of a story, as they would themselves: stores, and couriers by invites.
struct Registration {
    private let cast: Cast
    private var server: StoryServer
    private var members: [Person: ServerStage.Member] = [:]

    /// The members that they become, and the server.
    static func register(
        _ cast: Cast, on server: StoryServer
    ) throws -> (members: [Person: ServerStage.Member], server: StoryServer) {
        var registration = Registration(cast: cast, server: server)
        for number in cast.stores.indices { try registration.addStore(number) }
        for number in cast.couriers.indices { try registration.addCourier(number) }
        return (registration.members, registration.server)
    }

    private init(cast: Cast, server: StoryServer) { (self.cast, self.server) = (cast, server) }

    private mutating func addStore(_ number: Int) throws {
        let shop = cast.stores[number]
        members[.store(number)] = try register(
            "/v1/stores",
            [
                "email": shop.email, "password": Cast.password, "name": shop.name, "tax_id": shop.taxID,
                "address": shop.address, "phone": shop.phone, "language": "hr",
            ], login: "email")
    }

    private mutating func addCourier(_ number: Int) throws {
        let rider = cast.couriers[number]
        var form = [
            "first_name": rider.firstName, "last_name": rider.lastName, "phone": rider.phone,
            "password": Cast.password, "language": "hr",
        ]
        let stores = cast.stores.indices.filter { cast.stores[$0].partners.contains(number) }
        if let first = stores.first { form["invite_code"] = try invite(["phone": rider.phone], by: first) }
        let courier = try register("/v1/couriers", form, login: "phone")
        members[.courier(number)] = courier
        for store in stores.dropFirst() {
            let code = try invite(["courier_id": "\(courier.id)"], by: store)
            _ = try post("/v1/partners", ["code": code], as: courier.token)
        }
    }

    private mutating func invite(_ form: [String: String], by store: Int) throws -> String {
        try post("/v1/invites", form, as: members[.store(store)]?.token)["code"]?.text ?? ""
    }

    /// Registers somebody, or signs them in if only the answer to an earlier try was lost.
    private mutating func register(
        _ path: String, _ form: [String: String], login: String
    ) throws -> ServerStage.Member {
        let retries = server.retries
        var answer = try ask(path, form)
        if ["email_taken", "tax_id_taken", "phone_taken", "code_used"].contains(answer.code) {
            guard server.retries > retries else {
                throw StoryError("this story was told on this server already: take another --seed")
            }
            answer = try ask("/v1/sessions", form.filter { [login, "password"].contains($0.key) })
        }
        let json = try taken(answer, by: path)
        let token = json["session"]?["token"] ?? json["token"]
        guard let member = ServerStage.Member(account: json["account"], token: token) else {
            throw StoryError("the server registers people in another form than this kurir knows")
        }
        return member
    }

    private mutating func post(_ path: String, _ form: [String: String], as token: String?) throws -> JSON {
        try taken(ask(path, form, token), by: path)
    }

    private func taken(_ answer: StoryServer.Answer, by path: String) throws -> JSON {
        guard let json = answer.json, answer.status < 300 else {
            throw StoryError("\(path) was answered \(answer.status) \(answer.code ?? ""): is this a Kurir?")
        }
        return json
    }

    /// Whoever is signed in has a key: what it is about.
    private mutating func ask(
        _ path: String, _ form: [String: String], _ token: String? = nil
    ) throws -> StoryServer.Answer {
        var question = StoryServer.Question(
            method: "POST", path: path, body: .object(form.mapValues(JSON.string)), token: token)
        if token != nil { question.headers = [("Idempotency-Key", "story \(form.values.joined())")] }
        return try server.ask(question)
    }
}
