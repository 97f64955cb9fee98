import Product
import Domain
import EventLoop
import Gateways
import Glibc
import HTTP

/// Stores that go on creating and couriers that go on working in a demo, over the API like any client.
///
/// Not all couriers behave: some accept what another has just accepted, give back what they took, or fall silent.
struct DemoTraffic {
    private let address: String
    private let stores, couriers: [Demo.Account]
    private var chance: Chance
    private var tokens: [String: String] = [:]
    private var made = 0

    /// Begins, on a thread that ends with the process.
    static func begin(at address: String, _ accounts: [Demo.Account], seed: UInt64) throws {
        _ = try Thread(name: "demo") {
            var traffic = DemoTraffic(address, accounts, seed: seed)
            while true {
                usleep(UInt32(traffic.chance.number(300...1500)) * 1000)
                traffic.step()
            }
        }
    }

    private init(_ address: String, _ accounts: [Demo.Account], seed: UInt64) {
        self.address = address
        stores = accounts.filter { $0.kind == .store }
        couriers = accounts.filter { $0.kind == .courier }
        chance = Chance(seed: seed)
    }

    private mutating func step() {
        if chance.happens(25) { create(for: chance.pick(stores)) } else { work(chance.pick(couriers)) }
    }

    // MARK: Stores

    private mutating func create(for store: Demo.Account) {
        // A store with enough to do does not take on more.
        guard items(get("/v1/deliveries?status=pending&limit=6", as: store)).count < 6 else { return }
        let partners = items(get("/v1/partners?limit=50", as: store)).compactMap { $0["id"]?.text }
        guard !partners.isEmpty else { return }
        let candidates = partners.shuffled(using: &chance).prefix(chance.number(1...4))
        made += 1
        _ = post(
            "/v1/deliveries",
            .object([
                "courier_ids": .array(candidates.map(JSON.string)),
                "recipient": .object([
                    "first_name": .string(chance.pick(["Iva", "Tin", "Mia", "Jan", "Ela", "Roko"])),
                    "last_name": .string(chance.pick(["Barić", "Ćosić", "Đurić", "Klarić", "Štimac"])),
                    "address": .string("Vukovarska \(chance.number(1...250)), Zagreb"),
                ]),
                "description": .string(
                    chance.pick(["Paket", "Narudžba s weba", "Poklon", "Mala kutija"]) + " \(made)"),
            ]), as: store)
    }

    // MARK: Couriers

    private mutating func work(_ courier: Demo.Account) {
        let jobs = items(get("/v1/deliveries?limit=20", as: courier))
        for job in jobs.shuffled(using: &chance) {
            guard let id = job["id"]?.text, let status = job["status"]?.text else { continue }
            switch (status, chance.number(1...100)) {
            case ("in_progress", ...35): return act("deliver", id, courier)
            case ("in_progress", ...40):
                return act("cancel", id, courier, reason: chance.pick(["Probušena guma", "Bolest", "Gužva u prometu"]))
            case ("pending", ...45): return act("accept", id, courier)
            case ("pending", ...52): return act("decline", id, courier)
            case ("pending", ...62):
                // Two couriers want it, and one of them is told that it is taken.
                act("accept", id, courier)
                return act("accept", id, chance.pick(couriers))
            // Sometimes a courier does nothing for a while.
            default: continue
            }
        }
    }

    private mutating func act(_ action: String, _ id: String, _ courier: Demo.Account, reason: String? = nil) {
        _ = post(
            "/v1/deliveries/\(id)/\(action)", .object(reason.map { ["reason": .string($0)] } ?? [:]), as: courier)
    }

    // MARK: The API

    private mutating func get(_ path: String, as account: Demo.Account) -> JSON? {
        guard let token = token(of: account) else { return nil }
        return send(path, nil, token)
    }

    private mutating func post(_ path: String, _ body: JSON, as account: Demo.Account) -> JSON? {
        guard let token = token(of: account) else { return nil }
        return send(path, body, token)
    }

    private func items(_ page: JSON?) -> [JSON] {
        guard case .array(let items)? = page?["items"] else { return [] }
        return items
    }

    /// The token of an account, which signs in only once: a sign-in costs the server more than all the rest.
    private mutating func token(of account: Demo.Account) -> String? {
        if let token = tokens[account.login] { return token }
        let name = account.kind == .store ? "email" : "phone"
        let form = JSON.object([name: .string(account.login), "password": .string(Demo.password)])
        tokens[account.login] = send("/v1/sessions", form, nil)?["token"]?.text
        return tokens[account.login]
    }

    private func send(_ path: String, _ body: JSON?, _ token: String?) -> JSON? {
        var transfer = Transfer("http://\(address)\(path)", body?.bytes)
        transfer.headers = [("Content-Type", "application/json")]
        if let token { transfer.headers.append(("Authorization", "Bearer \(token)")) }
        return JSON(transfer.perform().body)
    }
}
