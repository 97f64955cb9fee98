import Deliveries
import Domain
import Postgres

/// Weeks of deliveries, each of which goes its way through the lifecycle.
struct DemoHistory {
    private var chance: Chance
    private let now: Timestamp
    private(set) var deliveries: [DemoDelivery] = []

    init(of people: DemoPeople, weeks: Int, until now: Timestamp, _ chance: Chance) {
        self.chance = chance
        self.now = now
        let today = now.microseconds / Self.day
        for day in today - Int64(7 * weeks)...today {
            for store in people.stores { add(day, store) }
        }
    }

    private static let day: Int64 = 86_400_000_000
    private static let minute: Int64 = 60_000_000

    /// Adds deliveries: more on some days than on others, from seven in the morning till six, by UTC.
    private mutating func add(_ day: Int64, _ store: DemoStore) {
        let busiest = (day + 4) % 7 == 0 ? 5 : 16
        for number in 0..<chance.number(3...busiest) {
            let at = day * Self.day + Int64(chance.number(7 * 60...18 * 60)) * Self.minute + Int64(number)
            guard at < now.microseconds else { continue }
            deliveries.append(delivery(of: store, at: at))
        }
    }

    private mutating func delivery(of store: DemoStore, at: Int64) -> DemoDelivery {
        let id = ID.version7(milliseconds: at / 1000, random: (chance.next(), chance.next()))
        let candidates = Array(store.partners.shuffled(using: &chance).prefix(chance.number(2...4)))
        let change = Lifecycle.create(id, content: content(store), candidates: candidates, by: store.id)
        var delivery = DemoDelivery(change, at: Timestamp(microseconds: at))
        for (minutes, command) in way(store, candidates) {
            let time = Timestamp(microseconds: (delivery.steps.last?.at.microseconds ?? at) + minutes * Self.minute)
            guard time < now, delivery.take(command, at: time) else { break }
        }
        return delivery
    }

    /// The steps of a delivery, each so many minutes after the one before.
    private mutating func way(_ store: DemoStore, _ candidates: [ID]) -> [(Int64, StepCommand)] {
        func minutes(_ range: ClosedRange<Int>) -> Int64 { Int64(chance.number(range)) }
        func carried(by courier: ID) -> [(Int64, StepCommand)] {
            [
                (minutes(1...12), StepCommand(.accept, by: courier, .courier)),
                (minutes(9...48), StepCommand(.deliver, by: courier, .courier)),
            ]
        }
        switch chance.number(1...100) {
        case ...80: return carried(by: candidates[0])
        case ...86:
            let reason = chance.pick(["Kupac je odustao", "Nema robe", "Kupac dolazi sam"])
            return [(minutes(4...30), StepCommand(.cancel, by: store.id, .store, reason: reason))]
        case ...93:
            let reason = chance.pick(["Probušena guma", "Gužva u prometu", "Bolest"])
            return [
                (minutes(1...9), StepCommand(.accept, by: candidates[0], .courier)),
                (minutes(3...15), StepCommand(.cancel, by: candidates[0], .courier, reason: reason)),
            ] + carried(by: candidates[1])
        default:
            return [(minutes(1...5), StepCommand(.decline, by: candidates[0], .courier))] + carried(by: candidates[1])
        }
    }

    private mutating func content(_ store: DemoStore) -> DeliveryContent {
        let street = chance.pick(["Vukovarska", "Savska", "Ilica", "Heinzelova", "Zvonimirova", "Selska", "Držićeva"])
        let phone = PhoneNumber(e164: "+38598\(chance.number(1_000_000...9_999_999))")
        return DeliveryContent(
            recipient: Recipient(
                firstName: chance.pick(["Iva", "Tin", "Mia", "Jan", "Ela", "Roko", "Dora", "Vid"]),
                lastName: chance.pick(["Barić", "Ćosić", "Đurić", "Klarić", "Matić", "Perić", "Rukavina", "Štimac"]),
                address: "\(street) \(chance.number(1...180)), Zagreb", phone: chance.happens(80) ? phone : nil,
                location: nil),
            description: chance.pick(store.goods),
            instructions: chance.happens(20) ? chance.pick(["Pozvoniti na drugi kat", "Ostaviti kod portira"]) : nil,
            reference: nil)
    }
}

/// A delivery of the demo with its steps so far.
struct DemoDelivery: Sendable {
    private(set) var steps: [Commit] = []
    private var times: StoredDelivery.Times
    private var delivery: Delivery

    init(_ change: Change, at: Timestamp) {
        times = StoredDelivery.Times(created: at)
        delivery = change.after
        steps = [Commit(change: change, at: at, times: times, notices: [], record: nil)]
    }

    /// Adds that step; false when the lifecycle does not have it.
    mutating func take(_ command: StepCommand, at: Timestamp) -> Bool {
        guard case .change(let change)? = try? Lifecycle.decide(command, on: delivery, isPartner: true) else {
            return false
        }
        times.note(change, at: at)
        delivery = change.after
        steps.append(Commit(change: change, at: at, times: times, notices: [], record: nil))
        return true
    }
}
