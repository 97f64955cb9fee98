import Domain

/// The people of a story.
package struct Cast: Sendable {
    /// The stores, each with the couriers that it works with.
    package let stores: [Shop]
    /// Everybody who carries.
    package let couriers: [Rider]
    /// All of them, stores first.
    package var everybody: [Person] { stores.indices.map(Person.store) + couriers.indices.map(Person.courier) }

    /// What others call somebody.
    package func name(of person: Person) -> String {
        switch person {
        case .store(let number): stores[number].name
        case .courier(let number): couriers[number].name
        }
    }

    /// The store and the courier of the demo whom whoever tries it is. They work together.
    package static let visitors = (store: 0, courier: 0)

    /// Everybody's password.
    package static let password = "kurir vozi svaki dan"

    /// The people of the demo: five stores and eighteen couriers with names that are easy to remember.
    package static func ofDemo(_ chance: inout Chance) -> Cast {
        Cast(stores: Shop.kinds.count, couriers: Rider.names.count, mark: "", numbers: 5_550_100, &chance)
    }

    /// So many people, with addresses and numbers that those of another seed hardly have.
    package init(stores: Int, couriers: Int, seed: UInt64, _ chance: inout Chance) {
        self.init(
            stores: stores, couriers: couriers, mark: ".\(seed)", numbers: chance.number(1_000_000...9_900_000), &chance
        )
    }

    private init(stores: Int, couriers: Int, mark: String, numbers: Int, _ chance: inout Chance) {
        let area = mark.isEmpty ? 91 : chance.pick([92, 95, 97, 98, 99])
        self.couriers = (0..<couriers).map { Rider($0, phone: "+385\(area)\(numbers + $0)") }
        self.stores = (0..<stores).map { number in
            var partners = Set((0..<couriers).shuffled(using: &chance).prefix(chance.number(6...12)))
            if mark.isEmpty, number == Self.visitors.store { partners.insert(Self.visitors.courier) }
            return Shop(number, mark: mark, numbers: numbers, partners: partners.sorted())
        }
    }
}

/// Somebody in a story, by the place in its cast.
package enum Person: Hashable, Sendable {
    case store(Int)
    case courier(Int)
}

/// A store of a story.
package struct Shop: Sendable {
    package let email, taxID, name, address, phone: String
    /// What it sells.
    package let goods: [String]
    /// The couriers that it works with, by their places in the cast.
    package let partners: [Int]

    fileprivate init(_ number: Int, mark: String, numbers: Int, partners: [Int]) {
        let kind = Self.kinds[number % Self.kinds.count]
        let round = number / Self.kinds.count
        email = "\(kind.account)\(round == 0 ? "" : ".\(round + 1)")\(mark)@example.com"
        taxID = Self.taxID("\(1_000_000_000 + numbers * 100 + number)")
        name = round == 0 ? kind.name : "\(kind.name) \(round + 1)"
        address = kind.address
        phone = "+3851\(4_828_100 + number)"
        goods = kind.goods
        self.partners = partners
    }

    /// Ten digits with the one that checks them.
    private static func taxID(_ digits: String) -> String {
        (0...9).lazy.map { "\(digits)\($0)" }.first { (try? TaxID($0)) != nil } ?? digits
    }

    fileprivate static let kinds: [(account: String, name: String, address: String, goods: [String])] = [
        (
            "pekara", "Pekara Kruh i sol", "Ilica 42, Zagreb",
            ["Kruh od pira", "Torta za rođendan", "Krafne, 12 komada"]
        ),
        ("cvijece", "Cvjećara Ljiljan", "Vlaška 18, Zagreb", ["Buket ruža", "Aranžman za vjenčanje", "Orhideja"]),
        ("knjige", "Knjižara Stranica", "Tkalčićeva 7, Zagreb", ["Paket knjiga", "Udžbenici", "Slikovnica"]),
        ("ljekarna", "Ljekarna Sveti Rok", "Savska 102, Zagreb", ["Lijekovi", "Dječja kozmetika", "Tlakomjer"]),
        (
            "vina", "Vinoteka Bukara", "Maksimirska 55, Zagreb",
            ["Tri boce graševine", "Poklon paket", "Maslinovo ulje"]
        ),
    ]
}

/// A courier of a story.
package struct Rider: Sendable {
    package let firstName, lastName, phone: String
    let habits: Habits
    /// First and last name.
    package var name: String { "\(firstName) \(lastName)" }

    fileprivate init(_ number: Int, phone: String) {
        (firstName, lastName) = Self.names[number % Self.names.count]
        self.phone = phone
        habits = Habits.ofCouriers[number % Habits.ofCouriers.count]
    }

    fileprivate static let names = [
        ("Ana", "Anić"), ("Ivan", "Babić"), ("Marija", "Cvitan"), ("Luka", "Čović"), ("Petra", "Dujmić"),
        ("Josip", "Filipović"), ("Lucija", "Grgić"), ("Marko", "Horvat"), ("Iva", "Jurić"), ("Ante", "Kovač"),
        ("Nina", "Lončar"), ("Filip", "Marić"), ("Sara", "Novak"), ("Karlo", "Pavlović"), ("Ema", "Radić"),
        ("Matej", "Šimić"), ("Lea", "Tomić"), ("Jakov", "Žanić"),
    ]
}
