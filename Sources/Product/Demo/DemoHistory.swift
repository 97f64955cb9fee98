import API
import Crypto
import Deliveries
import Domain
import Postgres
import Simulation

/// Weeks of a story, with the commits that make them history.
struct DemoHistory: Stage {
    private(set) var steps: [Commit] = []
    private var ledger: Ledger
    private var times: [ID: StoredDelivery.Times] = [:]
    private var taken: [ID: [ProofBundle.Step]] = [:]
    private let names: [ID: String]
    private let key: SigningKey
    private let midnight: Int64
    private var chance: Chance

    init(
        of cast: Cast, _ people: [Person: ID], weeks: Int, until now: Timestamp, _ chance: Chance,
        signedBy key: SigningKey
    ) throws {
        let firstDay = now.microseconds / Self.day - Int64(7 * weeks)
        ledger = Ledger(of: cast, people)
        self.key = key
        names = Dictionary(uniqueKeysWithValues: people.map { ($1, cast.name(of: $0)) })
        midnight = firstDay * Self.day
        self.chance = chance
        // A turn that began in the past is over.
        var story = Story(of: cast, firstDay: Int(firstDay), hasTurns: false, chance)
        while midnight + Int64(story.next + 1) * Self.second < now.microseconds { try story.goOn(&self) }
    }

    private static let second: Int64 = 1_000_000
    private static let day: Int64 = 86_400 * second

    func look(as person: Person) -> [SeenJob] { ledger.sights(of: person) }

    mutating func perform(_ told: Act) {
        var act = told
        // What is sent again with its key was done at the first time.
        if case .isBack = act.network { return }
        // Within a second the acts have an order.
        let at = Timestamp(microseconds: midnight + Int64(act.at) * Self.second + Int64(act.number % 1000) * 1000)
        if case .create(var content, let candidates, let minutes) = act.deed {
            content.window = minutes.flatMap {
                DeliveryWindow(
                    from: nil, until: Moment(Timestamp(microseconds: at.microseconds + Int64($0) * 60 * Self.second)))
            }
            // Nobody has taken pictures of the past.
            (content.terms.proof.wantsPhoto, content.terms.proof.wantsSignature) = (false, false)
            act.deed = .create(content, candidates)
        }
        let id = ID.version7(milliseconds: at.microseconds / 1000, random: (chance.next(), chance.next()))
        guard case .change(let change) = ledger.note(act, creating: id) else { return }
        var times = times[change.after.id] ?? StoredDelivery.Times(change, at: at)
        if change.before != nil { times.note(change, at: at) }
        self.times[change.after.id] = times
        steps.append(
            Commit(change: change, at: at, times: times, notices: [], record: nil, proof: proof(of: change, at: at)))
    }

    private mutating func proof(of change: Change, at: Timestamp) -> SignedProof? {
        let (delivery, before) = (change.after, taken[change.after.id] ?? [])
        taken[delivery.id] = before + [ProofBundle.Step(change, at: at)]
        let (store, courier) = (names[delivery.store] ?? "", delivery.courier.flatMap { names[$0] } ?? "")
        return ProofBundle(change, at: at, after: before, of: store, by: courier).map {
            SignedProof($0.written(), by: key)
        }
    }
}
