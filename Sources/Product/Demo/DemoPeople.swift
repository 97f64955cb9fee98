import Domain
import Postgres

/// The stores and couriers of a demo.
struct DemoPeople: Sendable {
    let stores: [DemoStore]
    let couriers: [DemoCourier]

    init(_ chance: inout Chance) {
        couriers = Self.names.enumerated().map { number, name in
            DemoCourier(
                id: .version7(milliseconds: 1_700_000_000_000, random: (chance.next(), chance.next())),
                firstName: name.0, lastName: name.1, phone: "+38591\(5_550_100 + number)")
        }
        let couriers = couriers
        stores = Self.shops.enumerated().map { number, shop in
            DemoStore(
                id: .version7(milliseconds: 1_700_000_000_000, random: (chance.next(), chance.next())),
                email: shop.email, name: shop.name, address: shop.address, phone: "+3851\(4_828_100 + number)",
                goods: shop.goods, partners: couriers.shuffled(using: &chance).prefix(chance.number(6...12)).map(\.id))
        }
    }

    private static let names = [
        ("Ana", "Anić"), ("Ivan", "Babić"), ("Marija", "Cvitan"), ("Luka", "Čović"), ("Petra", "Dujmić"),
        ("Josip", "Filipović"),
        ("Lucija", "Grgić"), ("Marko", "Horvat"), ("Iva", "Jurić"), ("Ante", "Kovač"), ("Nina", "Lončar"),
        ("Filip", "Marić"),
        ("Sara", "Novak"), ("Karlo", "Pavlović"), ("Ema", "Radić"), ("Matej", "Šimić"), ("Lea", "Tomić"),
        ("Jakov", "Žanić"),
    ]
    private static let shops: [(email: String, name: String, address: String, goods: [String])] = [
        (
            "pekara@example.com", "Pekara Kruh i sol", "Ilica 42, Zagreb",
            ["Kruh od pira", "Torta za rođendan", "Krafne, 12 komada"]
        ),
        (
            "cvijece@example.com", "Cvjećara Ljiljan", "Vlaška 18, Zagreb",
            ["Buket ruža", "Aranžman za vjenčanje", "Orhideja"]
        ),
        (
            "knjige@example.com", "Knjižara Stranica", "Tkalčićeva 7, Zagreb",
            ["Paket knjiga", "Udžbenici", "Slikovnica"]
        ),
        (
            "ljekarna@example.com", "Ljekarna Sveti Rok", "Savska 102, Zagreb",
            ["Lijekovi", "Dječja kozmetika", "Tlakomjer"]
        ),
        (
            "vina@example.com", "Vinoteka Bukara", "Maksimirska 55, Zagreb",
            ["Tri boce graševine", "Poklon paket", "Maslinovo ulje"]
        ),
    ]
}

struct DemoStore: Sendable {
    let id: ID
    let email, name, address, phone: String
    /// What it sells.
    let goods: [String]
    let partners: [ID]
}

struct DemoCourier: Sendable {
    let id: ID
    let firstName, lastName, phone: String
}

/// Whether nobody has an account yet.
struct NobodyIsThere: Statement {
    static let sql = "SELECT NOT EXISTS (SELECT FROM accounts)"
    static let isReadOnly = true

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}

/// Registers all of them with one password, as if long ago.
struct RegisterDemoPeople: Statement {
    static let sql = """
        WITH stores_accounts AS (
            INSERT INTO accounts (id, kind, password_hash, language, created_at)
                SELECT id, 'store', $1, 'hr', $2 FROM unnest($3) AS id),
        couriers_accounts AS (
            INSERT INTO accounts (id, kind, password_hash, language, created_at)
                SELECT id, 'courier', $1, 'hr', $2 FROM unnest($8) AS id),
        shops AS (
            INSERT INTO stores (id, email, tax_id, name, address, phone)
                SELECT id, email, (
                    SELECT '000000' || 1000 + no || digit FROM generate_series(0, 9) digit
                    WHERE is_oib('000000' || 1000 + no || digit)), name, address, phone
                FROM unnest($3, $4, $5, $6, $7) WITH ORDINALITY AS s(id, email, name, address, phone, no)),
        riders AS (
            INSERT INTO couriers (id, first_name, last_name, phone)
                SELECT id, first_name, last_name, phone FROM unnest($8, $9, $10, $11) AS c(id, first_name, last_name, phone))
        INSERT INTO partners (store_id, courier_id, since)
            SELECT store_id, courier_id, $2 FROM unnest($12, $13) AS p(store_id, courier_id)
        """
    let people: DemoPeople
    let passwordHash: String
    let since: Timestamp

    func bind(into parameters: inout Parameters) {
        parameters.add(passwordHash)
        parameters.add(since)
        parameters.add(people.stores.map(\.id))
        for text in [\DemoStore.email, \.name, \.address, \.phone] {
            parameters.add(people.stores.map { $0[keyPath: text] })
        }
        parameters.add(people.couriers.map(\.id))
        for text in [\DemoCourier.firstName, \.lastName, \.phone] {
            parameters.add(people.couriers.map { $0[keyPath: text] })
        }
        parameters.add(people.stores.flatMap { store in store.partners.map { _ in store.id } })
        parameters.add(people.stores.flatMap(\.partners))
    }
}
