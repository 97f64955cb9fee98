import Domain

/// What stores and couriers do from day to day: late ones and hasty ones, some who lose the network, and some who vanish.
///
/// Everybody decides by chance and by what is to be seen. So a seed gives one story, as long as everybody sees what the
/// rules say.
package struct Story: Sendable {
    private let cast: Cast
    private let firstDay: Int
    /// A courier whom somebody else plays.
    private let absent: Int?
    /// Whether some things are offered to one courier after the other, or later.
    private let hasTurns: Bool
    /// How many things a store has to deliver when it looks, in hundredths.
    private let trade: Int
    private var chance: Chance
    private var agenda = Agenda()
    /// What each store saw on its way, until it is gone.
    private var watched: [Int: ID] = [:]
    private var acts: Int

    /// A story of these people. `firstDay` is counted from Thursday, the first of January 1970.
    /// Nobody does anything for a courier who is `absent`. Acts are numbered after `number`, so that two stories of the same
    /// people on one server keep apart. Where a server's own clock would end turns before a store does, there are none.
    /// Where somebody watches, stores have more `trade`.
    package init(
        of cast: Cast, firstDay: Int = 4, without absent: Int? = nil, after number: Int = 0, hasTurns: Bool = true,
        trade: Int = 42, _ chance: Chance
    ) {
        (self.cast, self.firstDay, self.absent, self.chance) = (cast, firstDay, absent, chance)
        (self.hasTurns, self.trade) = (hasTurns, trade)
        acts = number
        for person in cast.everybody where person != absent.map(Person.courier) { lookNextMorning(person, onDay: 0) }
    }

    /// Has a store offer a courier something, unless something is offered to it already.
    package mutating func offer(by store: Int, to courier: Int, _ stage: inout some Stage) throws {
        guard try !stage.look(as: .courier(courier)).contains(where: { $0.status == .pending }) else { return }
        try perform(.create(content(cast.stores[store]), [courier]), by: .store(store), 0, &stage)
    }

    /// When somebody does something next, in seconds since the midnight that it began with.
    package var next: Int { agenda.next }

    /// Lets whoever is next do something. Whoever cannot is back the next morning.
    package mutating func goOn(_ stage: inout some Stage) throws {
        guard let (at, entry) = agenda.takeNext() else { return }
        switch entry {
        case .sendAgain(var act):
            act.network = .isBack
            try stage.perform(act)
        case .look(let person):
            do {
                switch person {
                case .store(let number): try tend(number, at, &stage)
                case .courier(let number): try work(number, at, &stage)
                }
            } catch {
                lookNextMorning(person, onDay: at / Self.day + 1)
                throw error
            }
        }
    }

    // MARK: Hours

    private static let minute = 60
    private static let day = 24 * 60 * 60

    private mutating func lookNextMorning(_ person: Person, onDay day: Int) {
        agenda.add(.look(person), at: day * Self.day + 7 * 60 * Self.minute + chance.number(0...40 * Self.minute))
    }

    private mutating func lookAgain(_ person: Person, _ at: Int, after pause: ClosedRange<Int>, until hour: Int) {
        let next = at + chance.number(pause.lowerBound * Self.minute...pause.upperBound * Self.minute)
        if next % Self.day < hour * 60 * Self.minute {
            agenda.add(.look(person), at: next)
        } else {
            lookNextMorning(person, onDay: at / Self.day + 1)
        }
    }

    // MARK: Stores

    private mutating func tend(_ number: Int, _ at: Int, _ stage: inout some Stage) throws {
        let (store, shop) = (Person.store(number), cast.stores[number])
        let open = try stage.look(as: store)
        let isSunday = (firstDay + at / Self.day + 4) % 7 == 0
        // A store with enough to do does not take on more.
        if open.count < 9 {
            let trade = isSunday ? trade * 2 / 7 : trade
            for _ in 0..<trade / 100 + (chance.happens(trade % 100) ? 1 : 0) {
                let due = chance.happens(60) ? chance.pick([45, 60, 90, 180]) : nil
                try perform(.create(content(shop), candidates(of: shop), due: due), by: store, at, &stage)
            }
        }
        if let job = open.randomElement(using: &chance) { try reconsider(job, by: store, shop, at, &stage) }
        // Nobody waits for a turn for longer than that.
        for job in open where job.keepsWaiting && job.status == .pending {
            try perform(.offerToAll(job.id), by: store, at, &stage)
        }
        try watch(number, open, at, &stage)
        lookAgain(store, at, after: 8...30, until: 18)
    }

    /// Recipients call now and then, and say that nothing has come.
    private mutating func watch(_ number: Int, _ open: [SeenJob], _ at: Int, _ stage: inout some Stage) throws {
        guard let id = watched[number] else {
            watched[number] = open.first { $0.status == .inProgress }?.id
            return
        }
        guard !open.contains(where: { $0.id == id }) else { return }
        watched[number] = nil
        guard chance.happens(6) else { return }
        try perform(.step(.reopen, id, reason: "Kupac kaže da ništa nije stiglo"), by: .store(number), at, &stage)
    }

    private mutating func reconsider(
        _ job: SeenJob, by store: Person, _ shop: Shop, _ at: Int, _ stage: inout some Stage
    ) throws {
        switch (job.status, chance.number(1...100)) {
        case (.pending, ...6):
            try cancel(job.id, because: Self.reasonsOfStores, by: store, at, &stage)
            // Somebody's screen may be older than that.
            guard chance.happens(40) else { break }
            let courier = Person.courier(chance.pick(shop.partners))
            guard courier != absent.map(Person.courier) else { break }
            try perform(.step(.accept, job.id, reason: nil), by: courier, at, &stage)
        case (.pending, ...10):
            try perform(.instruct(job.id, chance.pick(Self.instructions)), by: store, at, &stage)
        case (.pending, ...22): try perform(.offer(job.id, candidates(of: shop)), by: store, at, &stage)
        case (.inProgress, ...3):
            // Whoever has it does not come: somebody else gets the same once more.
            try cancel(job.id, because: ["Kurir se ne javlja"], by: store, at, &stage)
            try perform(.create(content(shop), candidates(of: shop)), by: store, at, &stage)
        case (.inProgress, ...6):
            let others = chance.happens(50) ? candidates(of: shop) : []
            try perform(.reassign(job.id, others), by: store, at, &stage)
        default: break
        }
    }

    private mutating func candidates(of shop: Shop) -> [Int] {
        Array(shop.partners.shuffled(using: &chance).prefix(chance.number(2...4)))
    }

    private mutating func content(_ shop: Shop) -> DeliveryContent {
        let street = chance.pick(Town.streets)
        let phone = PhoneNumber(e164: "+38598\(chance.number(1_000_000...9_999_999))")
        var content = DeliveryContent(
            recipient: Recipient(
                firstName: chance.pick(["Iva", "Tin", "Mia", "Jan", "Ela", "Roko", "Dora", "Vid"]),
                lastName: chance.pick(["Barić", "Ćosić", "Đurić", "Klarić", "Matić", "Perić", "Rukavina", "Štimac"]),
                address: "\(street) \(chance.number(1...180)), Zagreb", phone: chance.happens(80) ? phone : nil,
                location: nil),
            description: chance.pick(shop.goods),
            instructions: chance.happens(20) ? chance.pick(Self.instructions) : nil, reference: nil)
        content.recipient.location = Town.door(of: content.recipient.address).location
        content.terms.cash = chance.happens(12) ? try? Money(Int64(chance.number(40...400) * 10), "EUR") : nil
        content.terms.proof = Proof(
            pin: chance.happens(10) ? "\(chance.number(1000...9999))" : nil, wantsPhoto: chance.happens(8),
            wantsSignature: chance.happens(6))
        let (isInTurn, order, isHeld) = (chance.happens(15), chance.pick(OfferTurns.Order.allCases), chance.happens(6))
        content.terms.turns =
            isInTurn && hasTurns ? OfferTurns(order: order, seconds: OfferTurns.bounds.upperBound) : nil
        content.terms.offerAt = isHeld && hasTurns ? Self.whenStoreSaysSo : nil
        if chance.happens(10) { content.terms.pickup = Self.storehouse }
        content.terms.pay = chance.happens(40) ? try? Money(Int64(chance.number(6...18) * 50), "EUR") : nil
        if chance.happens(25) {
            content.terms.parcel = Parcel(
                pieces: chance.number(1...4), grams: nil, size: chance.pick(Parcel.Size.allCases),
                isFragile: chance.happens(30), isCold: false, value: nil)
        }
        return content
    }

    /// A time that nobody waits for: the store offers it before.
    private static let whenStoreSaysSo = Moment(milliseconds: .max)
    /// Where some things are fetched, instead of at the store.
    private static let storehouse = Pickup(
        readyAt: nil, address: "Radnička 30, Zagreb", location: Town.door(of: "Radnička 30, Zagreb").location,
        instructions: "Ulaz iz dvorišta")
    private static let neighbours = ["Susjeda s prvog kata", "Portir", "Kolega iz ureda"]

    /// Nobody accepts more than that.
    private static let fullHands = 8

    private static let instructions = ["Pozvoniti na drugi kat", "Ostaviti kod portira", "Nazvati prije dolaska"]
    private static let reasonsOfStores = ["Kupac je odustao", "Nema robe", "Kupac dolazi sam"]
    private static let reasonsOfCouriers = [ReturnReason.vehicle, .tooLate, .personal].map(\.rawValue)

    // MARK: Couriers

    private mutating func work(_ number: Int, _ at: Int, _ stage: inout some Stage) throws {
        let (courier, habits) = (Person.courier(number), cast.couriers[number].habits)
        let jobs = try stage.look(as: courier)
        if jobs.contains(where: { $0.status == .inProgress }), chance.happens(habits.vanishes) {
            return lookNextMorning(courier, onDay: at / Self.day + chance.number(1...3))
        }
        let carried = jobs.filter { $0.status == .inProgress }.map(\.id)
        if carried.count > 1, chance.happens(habits.plans) {
            try perform(.route(carried.shuffled(using: &chance)), by: courier, at, &stage)
        }
        // One after the other is considered, until there is something to do about one.
        let mayAccept = jobs.count { $0.status == .inProgress } < Self.fullHands
        for job in jobs.shuffled(using: &chance) where mayAccept || job.status != .pending {
            if try consider(job, courier, habits, at, &stage) { break }
        }
        lookAgain(courier, at, after: habits.pause, until: 20)
    }

    /// Whether something was done about it.
    private mutating func consider(
        _ job: SeenJob, _ courier: Person, _ habits: Habits, _ at: Int, _ stage: inout some Stage
    ) throws -> Bool {
        let dice = chance.number(1...100)
        switch job.status {
        case .inProgress where dice > 75:
            try perform(.step(.pickUp, job.id, reason: nil), by: courier, like: habits, at, &stage)
            guard chance.happens(10) else { return true }
            let reason = chance.pick([FailReason.nobodyHome, .nobodyHome, .wrongAddress, .unreachable]).rawValue
            try perform(.step(.fail, job.id, reason: reason), by: courier, like: habits, at, &stage)
        case .inProgress where dice <= habits.delivers:
            let receiver = chance.happens(25) ? chance.pick(Self.neighbours) : nil
            let deed = Act.Deed.deliver(job.id, to: receiver, paysLess: chance.happens(25))
            try perform(deed, by: courier, like: habits, at, &stage)
        case .inProgress where dice <= habits.delivers + habits.givesBack:
            try cancel(job.id, because: Self.reasonsOfCouriers, by: courier, like: habits, at, &stage)
            // Whoever is sorry comes too late.
            guard chance.happens(20) else { return true }
            try perform(.step(.accept, job.id, reason: nil), by: courier, like: habits, at, &stage)
        case .pending where dice <= habits.accepts:
            try perform(.step(.accept, job.id, reason: nil), by: courier, like: habits, at, &stage)
            guard chance.happens(habits.jostles) else { return true }
            let other = Person.courier(chance.number(0...cast.couriers.count - 1))
            guard other != absent.map(Person.courier) else { return true }
            try perform(.step(.accept, job.id, reason: nil), by: other, at, &stage)
        case .pending where dice <= habits.accepts + habits.declines:
            try perform(.step(.decline, job.id, reason: nil), by: courier, like: habits, at, &stage)
        default: return false
        }
        return true
    }

    // MARK: Deeds

    private mutating func cancel(
        _ id: ID, because reasons: [String], by person: Person, like habits: Habits = Habits(), _ at: Int,
        _ stage: inout some Stage
    ) throws {
        try perform(.step(.cancel, id, reason: chance.pick(reasons)), by: person, like: habits, at, &stage)
    }

    private mutating func perform(
        _ deed: Act.Deed, by person: Person, like habits: Habits = Habits(), _ at: Int, _ stage: inout some Stage
    ) throws {
        let taps = chance.happens(habits.tapsTwice) && deed.isHarmlessTwice ? 2 : 1
        for _ in 0..<taps {
            acts += 1
            let isLost = !deed.perils.isEmpty && chance.happens(habits.losesNetwork)
            let network = isLost ? chance.pick(deed.perils) : .works
            let act = Act(number: acts, at: at, person: person, deed: deed, network: network)
            try stage.perform(act)
            if network == .losesAnswer {
                agenda.add(.sendAgain(act), at: at + chance.number(1...25) * Self.minute)
            }
        }
    }
}

extension Act.Deed {
    /// What may happen to it on the network. A store waits until it knows what it has created, and what changes a
    /// delivery has no key by which it could be repeated.
    fileprivate var perils: [Act.Network] {
        switch self {
        case .create: [.breaks]
        case .step, .deliver, .reassign: [.losesAnswer, .breaks]
        case .instruct, .offer, .offerToAll, .route: []
        }
    }

    /// Whether a second tap asks for something that is done already.
    fileprivate var isHarmlessTwice: Bool {
        switch self {
        case .step, .deliver, .reassign: true
        case .create, .instruct, .offer, .offerToAll, .route: false
        }
    }
}
