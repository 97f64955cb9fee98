import Gateways
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
        let made = try post(
            "/v1/stores",
            [
                "email": shop.email, "password": Cast.password, "name": shop.name, "tax_id": shop.taxID,
                "address": shop.address, "phone": shop.phone, "language": "hr",
            ])
        members[.store(number)] = try member(made)
    }

    private mutating func addCourier(_ number: Int) throws {
        let rider = cast.couriers[number]
        var form = [
            "first_name": rider.firstName, "last_name": rider.lastName, "phone": rider.phone,
            "password": Cast.password, "language": "hr",
        ]
        let stores = cast.stores.indices.filter { cast.stores[$0].partners.contains(number) }
        if let first = stores.first { form["invite_code"] = try invite(["phone": rider.phone], by: first) }
        let courier = try member(try post("/v1/couriers", form))
        members[.courier(number)] = courier
        for store in stores.dropFirst() {
            let code = try invite(["courier_id": "\(courier.id)"], by: store)
            _ = try post("/v1/partners", ["code": code], token: courier.token)
        }
    }

    private mutating func invite(_ form: [String: String], by store: Int) throws -> String {
        try post("/v1/invites", form, token: members[.store(store)]?.token)["code"]?.text ?? ""
    }

    private func member(_ made: JSON) throws -> ServerStage.Member {
        guard let member = ServerStage.Member(account: made["account"], token: made["session"]?["token"]) else {
            throw StoryError("the server registers people in another form than this kurir knows")
        }
        return member
    }

    private mutating func post(_ path: String, _ form: [String: String], token: String? = nil) throws -> JSON {
        let answer = try server.ask(
            StoryServer.Question(method: "POST", path: path, body: .object(form.mapValues(JSON.string)), token: token))
        if ["email_taken", "tax_id_taken", "phone_taken"].contains(answer.code) {
            throw StoryError("this story was told on this server already: take another --seed")
        }
        guard let json = answer.json, answer.status < 300 else {
            throw StoryError("\(path) was answered \(answer.status) \(answer.code ?? ""): is this a Kurir?")
        }
        return json
    }
}
