import API
import Domain
import EventLoop
import HTTP
import Postgres

/// What a node tells those who watch couriers: for each watched store the newest event of each courier that it sees.
///
/// Whoever reads slowly misses what is outdated, and nothing else. It is a pure value; ``PositionTail`` asks the database.
struct PositionBoard: Sendable {
    /// No courier is told of more often.
    private static let pause = Duration.seconds(1)
    /// In so many rounds everybody is looked at who is shown, whether or not there was word of it.
    private static let roundsToSeeAll = 8

    private var stores: [ID: Watched] = [:]
    /// Which of the watched stores are shown a courier.
    private var shown: [ID: Set<ID>] = [:]
    private var moved: Set<ID> = []
    private var doubted: ArraySlice<ID> = []
    private var doubtedAtOnce = 0
    private var toldAt: [ID: Instant] = [:]
    /// The place behind all events.
    private(set) var serial = 0
    /// How often it was not certain that all announcements were heard.
    private(set) var doubts = 0

    private struct Watched {
        var watchers = 0
        var events: [ID: Event] = [:]
    }

    private struct Event {
        let serial: Int
        let told: Instant
        let courier: ID
        /// Nil when it is not seen any more.
        let position: SeenPosition?
        /// Whether it was told as where the courier is, and not as where it was.
        let wasFresh: Bool

        /// As it is read now: where somebody is becomes where it was while nothing else happens.
        func lines(at clock: Timestamp) -> [UInt8] {
            guard let position else { return Array("event: gone\ndata: {\"courier_id\":\"\(courier)\"}\n\n".utf8) }
            var json = JSONWriter()
            json.object { position.write(&$0, at: clock) }
            return Array("event: position\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
        }

        /// Whether a position is something else than what was told.
        func isBehind(_ position: SeenPosition, at clock: Timestamp) -> Bool {
            guard let told = self.position else { return true }
            return told.at < position.at || wasFresh && !position.isFresh(at: clock)
        }
    }

    // MARK: Who watches

    mutating func begin(_ store: ID) { stores[store, default: Watched()].watchers += 1 }

    mutating func end(_ store: ID) {
        guard var watched = stores[store] else { return }
        watched.watchers -= 1
        stores[store] = watched.watchers > 0 ? watched : nil
        guard watched.watchers == 0 else { return }
        for courier in watched.events.keys { hide(courier, from: store) }
        guard stores.isEmpty else { return }
        let doubts = doubts
        self = PositionBoard()
        self.doubts = doubts
    }

    /// The events of a store behind a place, and of these couriers wherever they stand, and the place behind them all.
    func news(
        for store: ID, after place: Int, and couriers: Set<ID> = [], clock: Timestamp = .now
    ) -> (lines: [UInt8], place: Int) {
        let events = (stores[store]?.events ?? [:]).filter { $1.serial > place || couriers.contains($0) }.values
            .sorted { $0.serial < $1.serial }
        return (events.flatMap { $0.lines(at: clock) }, max(place, events.last?.serial ?? place))
    }

    // MARK: What there is to ask

    /// Notes who has moved, as it was announced.
    mutating func note(_ announced: String) {
        guard !stores.isEmpty else { return }
        var rest = announced[...]
        while !rest.isEmpty {
            if let id = ID(String(rest.prefix(ID.length))) { moved.insert(id) }
            rest = rest.dropFirst(ID.length)
        }
    }

    /// Has everybody be asked for who is shown, since something may have been missed; and who is not, by those who watch.
    mutating func doubtAll() {
        moved.formUnion(shown.keys)
        doubts += 1
    }

    /// The couriers to be asked for now.
    mutating func due(at now: Instant) -> [ID] {
        toldAt = toldAt.filter { now < $0.value + Self.pause }
        let due = moved.filter { toldAt[$0] == nil }
        moved.subtract(due)
        if doubted.isEmpty {
            doubted = Array(shown.keys)[...]
            doubtedAtOnce = (doubted.count + Self.roundsToSeeAll - 1) / Self.roundsToSeeAll
        }
        let alsoDue = doubted.prefix(doubtedAtOnce).filter { toldAt[$0] == nil }
        doubted = doubted.dropFirst(doubtedAtOnce)
        return Array(due.union(alsoDue))
    }

    // MARK: Answers

    /// Shows a store that begins to watch what it sees. What it is shown already stays: those who watch beside it had that.
    mutating func show(_ position: SeenPosition, to store: ID, at now: Instant, clock: Timestamp = .now) {
        guard let watched = stores[store], watched.events[position.courier]?.position == nil else { return }
        tell(store, position.courier, position, now, clock)
    }

    /// Takes the answer for those who were asked for, and gives the stores that there is news for.
    mutating func take(
        _ found: [(position: SeenPosition, stores: [ID])], of asked: [ID], at now: Instant, clock: Timestamp = .now
    ) -> Set<ID> {
        var (woken, seers) = (Set<ID>(), [ID: Set<ID>]())
        for (position, all) in found {
            let watching = all.filter { stores[$0] != nil }
            seers[position.courier] = Set(watching)
            let behind = watching.filter {
                stores[$0]?.events[position.courier]?.isBehind(position, at: clock) ?? true
            }
            // Who began to watch a moment ago was told just then.
            let told = behind.filter {
                stores[$0]?.events[position.courier].map { $0.told + Self.pause <= now } ?? true
            }
            if told.count < behind.count { moved.insert(position.courier) }
            guard !told.isEmpty else { continue }
            for store in told { tell(store, position.courier, position, now, clock) }
            toldAt[position.courier] = now
            woken.formUnion(told)
        }
        for courier in asked {
            for store in (shown[courier] ?? []).subtracting(seers[courier] ?? []) {
                hide(courier, from: store)
                tell(store, courier, nil, now, clock)
                woken.insert(store)
            }
        }
        return woken
    }

    /// Takes back that these were asked for.
    mutating func askAgain(_ couriers: [ID]) { if !stores.isEmpty { moved.formUnion(couriers) } }

    private mutating func tell(
        _ store: ID, _ courier: ID, _ position: SeenPosition?, _ now: Instant, _ clock: Timestamp
    ) {
        serial += 1
        stores[store]?.events[courier] = Event(
            serial: serial, told: now, courier: courier, position: position,
            wasFresh: position?.isFresh(at: clock) ?? false)
        if position != nil { shown[courier, default: []].insert(store) }
    }

    private mutating func hide(_ courier: ID, from store: ID) {
        shown[courier]?.remove(store)
        if shown[courier]?.isEmpty == true { shown[courier] = nil }
    }
}
