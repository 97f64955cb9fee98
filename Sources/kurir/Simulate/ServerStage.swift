import API
import Curl
import Domain
import HTTP
import Postgres
import Simulation

/// A server on which a story is played: its people look at their lists there, and call.
struct ServerStage: Stage {
    private(set) var server: StoryServer
    private let cast: Cast
    private var members: [Person: Member]
    /// What was sent when the answer was lost, and is sent again as it was.
    private var lost: [Int: StoryServer.Question] = [:]
    /// The midnight that the story began with, in milliseconds since 1970, where it is told when something happens.
    private let midnight: Int?

    /// Somebody who is signed in.
    struct Member {
        let id: ID
        let token: String
    }

    init(_ server: StoryServer, _ cast: Cast, _ members: [Person: Member] = [:], midnight: Int? = nil) {
        (self.server, self.cast, self.members, self.midnight) = (server, cast, members, midnight)
    }

    /// As many deliveries as a list is asked for; what is open stands first.
    static let most = 40

    mutating func look(as person: Person) throws -> [SeenJob] {
        try get("/v1/deliveries?limit=\(Self.most)", as: person).items.compactMap { item in
            guard let id = item["id"]?.text.flatMap(ID.init(_:)), let text = item["status"]?.text,
                let status = DeliveryStatus(rawValue: text), status.isOpen,
                // There is nothing to do about what a store took back.
                case .array(let actions)? = item["allowed_actions"], !actions.isEmpty
            else { return nil }
            let hasTurns = item["offer"]?["mode"]?.text == "in_turn"
            return SeenJob(id: id, status: status, keepsWaiting: hasTurns || item["offer_at"]?.text != nil)
        }
    }

    mutating func perform(_ act: Act) throws { _ = try answer(to: act) }

    /// What the server says to an act.
    mutating func answer(to act: Act) throws -> StoryServer.Answer {
        let token = try member(act.person).token
        var question = try lost.removeValue(forKey: act.number) ?? question(act)
        if act.network == .losesAnswer { lost[act.number] = question }
        question.token = token
        question.network = act.network
        if question.method == "POST" { question.headers.append(("Idempotency-Key", "story-\(act.number)")) }
        if let midnight {
            question.headers.append(("Kurir-Time", "\(Self.time(of: act, since: midnight))"))
        }
        let answer = try server.ask(question)
        if midnight != nil, answer.code == "forbidden" {
            throw StoryError("only a demo (kurir serve --demo) can be told when something happened: leave out --past")
        }
        return answer
    }

    /// In milliseconds since 1970. Within a second the acts have an order.
    private static func time(of act: Act, since midnight: Int) -> Int { midnight + act.at * 1000 + act.number % 1000 }

    private mutating func question(_ act: Act) throws -> StoryServer.Question {
        func post(_ path: String, _ body: [String: JSON]) -> StoryServer.Question {
            StoryServer.Question(method: "POST", path: "/v1/deliveries\(path)", body: .object(body))
        }
        func patch(_ id: ID, _ body: [String: JSON]) -> StoryServer.Question {
            StoryServer.Question(method: "PATCH", path: "/v1/deliveries/\(id)", body: .object(body))
        }
        switch act.deed {
        case .create(let content, let candidates, let due):
            var form = try Self.form(content).merging(["courier_ids": ids(candidates)]) { $1 }
            let made = midnight.map { Int64(Self.time(of: act, since: $0)) * 1000 } ?? Timestamp.now.microseconds
            func later(by seconds: Int) -> JSON {
                .string(Timestamp(microseconds: made + Int64(seconds) * 1_000_000).text)
            }
            if let due { form["window"] = .object(["until": later(by: 60 * due)]) }
            // The store offers it before, as with turns.
            if content.terms.offerAt != nil { form["offer_at"] = later(by: OfferTurns.bounds.upperBound) }
            return post("", form)
        case .instruct(let id, let text): return patch(id, ["instructions": .string(text)])
        case .offer(let id, let candidates): return patch(id, ["courier_ids": try ids(candidates)])
        case .offerToAll(let id):
            return patch(id, ["offer": .object(["mode": .string("all")]), "offer_at": .null])
        case .route(let ids):
            let stops = JSON.object(["delivery_ids": .array(ids.map { .string("\($0)") })])
            return StoryServer.Question(method: "PUT", path: "/v1/me/route", body: stops)
        case .deliver(let id, let receiver, let paysLess):
            var body = try shown(id, to: act.person, paysLess: paysLess)
            body["received_by"] = receiver.map(JSON.string)
            return post("/\(id)/deliver", body)
        case .reassign(let id, let couriers):
            return post("/\(id)/reassign", couriers.isEmpty ? [:] : ["courier_ids": try ids(couriers)])
        case .step(.fail, let id, let reason):
            var body = try [String: JSON](at: get("/v1/deliveries/\(id)", as: act.person).json)
            body["reason"] = reason.map(JSON.string)
            return post("/\(id)/fail", body)
        case .step(let action, let id, let reason):
            let name = action == .reopen ? "note" : "reason"
            return post("/\(id)/\(action.rawValue)", reason.map { [name: .string($0)] } ?? [:])
        }
    }

    /// What a courier shows of handing something over: where, the PIN, which the store tells recipients, money, and pictures.
    private mutating func shown(_ id: ID, to courier: Person, paysLess: Bool) throws -> [String: JSON] {
        let path = "/v1/deliveries/\(id)"
        guard let delivery = try get(path, as: courier).json, delivery["status"]?.text == "in_progress" else {
            return [:]
        }
        var body = [String: JSON](at: delivery)
        body["cash_collected"] = delivery["cash"]
        if paysLess, case .object(var cash)? = delivery["cash"], let amount = cash["amount"]?.number {
            cash["amount"] = .integer(Int(Act.lessToPay(than: Int64(amount))))
            (body["cash_collected"], body["note"]) = (.object(cash), .string(Act.whyLess))
        }
        let proof = delivery["proof"]
        if proof?["pin"] == .bool(true), let name = delivery["store"]?["name"]?.text,
            let store = cast.stores.firstIndex(where: { $0.name == name })
        {
            body["pin"] = try get(path, as: .store(store)).json?["pin"]
        }
        if proof?["photo"] == .bool(true) { body["photo_ids"] = .array([try picture(by: courier)]) }
        if proof?["signature"] == .bool(true) { body["signature_id"] = try picture(by: courier) }
        return body
    }

    /// Keeps a picture, which hangs on one delivery only.
    private mutating func picture(by courier: Person) throws -> JSON {
        let token = try member(courier).token
        let question = StoryServer.Question(method: "POST", path: "/v1/files", picture: DrawnName.png, token: token)
        return try server.ask(question).json?["id"] ?? .null
    }

    private static func form(_ content: DeliveryContent) -> [String: JSON] {
        var recipient: [String: JSON] = [
            "first_name": .string(content.recipient.firstName), "last_name": .string(content.recipient.lastName),
            "address": .string(content.recipient.address),
        ]
        recipient["location"] = content.recipient.location.map(JSON.init)
        recipient["phone"] = content.recipient.phone.map { .string($0.e164) }
        var form: [String: JSON] = ["recipient": .object(recipient), "description": .string(content.description)]
        form["instructions"] = content.instructions.map(JSON.string)
        for (name, money) in [("pay", content.terms.pay), ("cash", content.terms.cash)] {
            form[name] = money.map {
                .object(["amount": .integer(Int($0.amount)), "currency": .string($0.currency)])
            }
        }
        let proof = content.terms.proof
        if proof != Proof() {
            form["proof"] = .object([
                "pin": .bool(proof.pin != nil), "photo": .bool(proof.wantsPhoto),
                "signature": .bool(proof.wantsSignature),
            ])
        }
        form["pickup"] = content.terms.pickup.map { pickup in
            var json: [String: JSON] = [:]
            json["address"] = pickup.address.map(JSON.string)
            json["location"] = pickup.location.map(JSON.init)
            json["instructions"] = pickup.instructions.map(JSON.string)
            return .object(json)
        }
        form["offer"] = content.terms.turns.map { turns in
            .object([
                "mode": .string("in_turn"), "order": .string(turns.order.rawValue),
                "each_seconds": .integer(turns.seconds),
            ])
        }
        form["parcel"] = content.terms.parcel.map { parcel in
            var json: [String: JSON] = ["pieces": .integer(parcel.pieces), "fragile": .bool(parcel.isFragile)]
            json["size"] = parcel.size.map { .string($0.rawValue) }
            return .object(json)
        }
        return form
    }

    private mutating func ids(_ couriers: [Int]) throws -> JSON {
        .array(try couriers.map { .string("\(try member(.courier($0)).id)") })
    }

    mutating func get(_ path: String, as person: Person) throws -> StoryServer.Answer {
        let token = try member(person).token
        return try server.ask(StoryServer.Question(path: path, token: token))
    }

    /// Has somebody send something that is no part of the story.
    @discardableResult mutating func send(
        _ method: String, _ path: String, _ body: [String: JSON], as person: Person
    ) throws -> StoryServer.Answer {
        let token = try member(person).token
        return try server.ask(StoryServer.Question(method: method, path: path, body: .object(body), token: token))
    }

    mutating func id(of person: Person) throws -> ID { try member(person).id }

    /// Somebody, who signs in only once: a sign-in costs the server more than all the rest.
    private mutating func member(_ person: Person) throws -> Member {
        if let member = members[person] { return member }
        let login: (String, String) =
            switch person {
            case .store(let number): ("email", cast.stores[number].email)
            case .courier(let number): ("phone", cast.couriers[number].phone)
            }
        let form = JSON.object([login.0: .string(login.1), "password": .string(Cast.password)])
        let answer = try server.ask(StoryServer.Question(method: "POST", path: "/v1/sessions", body: form))
        guard let member = Member(account: answer.json?["account"], token: answer.json?["token"]) else {
            throw StoryError("\(login.1) cannot sign in: \(answer.status) \(answer.code ?? "")")
        }
        members[person] = member
        return member
    }
}

extension JSON {
    /// A place.
    fileprivate init(_ place: Location) { self = .object(["lat": .number(place.lat), "lon": .number(place.lon)]) }
}

extension [String: JSON] {
    /// What a courier says who stands where a delivery goes, if that is known.
    fileprivate init(at delivery: JSON?) {
        self.init()
        guard let place = delivery?["recipient"]?["location"], place != .null else { return }
        self["at_location"] = place
    }
}

extension ServerStage.Member {
    /// Somebody as an answer shows it.
    init?(account: JSON?, token: JSON?) {
        guard let id = account?["id"]?.text.flatMap(ID.init(_:)), let token = token?.text else { return nil }
        self.init(id: id, token: token)
    }
}
