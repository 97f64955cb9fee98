import Domain
import HTTP

/// What a node tells couriers who listen for what is new on the road: each of them the reports near it.
///
/// There is room for all that one question finds, and readers have a moment before the next: who takes it in time is told everything, and
/// whoever reads more slowly misses the oldest. It is a pure value; ``RoadTail`` asks the database.
struct RoadBoard: Sendable {
    /// How many reports are asked for at once, and how many of them wait for a courier at most.
    static let atOnce = 200
    /// How many wait to be asked for, in all: a large file of them. What comes when there are so many is told to nobody.
    static let waiting = 100_000

    private var couriers: [ID: Listening] = [:]
    private var noted: ArraySlice<ID> = []
    private var serial = 0

    private struct Listening {
        var listeners = 0
        var events: ArraySlice<(serial: Int, lines: [UInt8])> = []
    }

    /// Begins to listen, and says behind which place.
    mutating func begin(_ courier: ID) -> Int {
        couriers[courier, default: Listening()].listeners += 1
        return serial
    }

    mutating func end(_ courier: ID) {
        couriers[courier]?.listeners -= 1
        if couriers[courier]?.listeners == 0 { couriers[courier] = nil }
        if couriers.isEmpty { noted = [] }
    }

    /// Notes what is new, as it was announced. Where nobody listens it is forgotten.
    mutating func note(_ announced: String) {
        guard !couriers.isEmpty else { return }
        var rest = announced[...]
        while !rest.isEmpty, noted.count < Self.waiting {
            if let id = ID(String(rest.prefix(ID.length))) { noted.append(id) }
            rest = rest.dropFirst(ID.length)
        }
    }

    /// What is to be asked for now, if anything: whether some of these reports are near some of these couriers.
    mutating func due() -> (couriers: [ID], reports: [ID])? {
        guard !noted.isEmpty else { return nil }
        defer { noted = noted.dropFirst(Self.atOnce) }
        return (Array(couriers.keys), Array(noted.prefix(Self.atOnce)))
    }

    /// Takes back that they were asked for.
    mutating func askAgain(_ reports: [ID]) { if !couriers.isEmpty { noted = reports + noted } }

    /// Takes what was found, and gives the couriers who are told.
    mutating func take(_ found: [(courier: ID, report: RoadReport)]) -> Set<ID> {
        let found = found.filter { couriers[$0.courier] != nil }
        for (courier, report) in found {
            serial += 1
            couriers[courier]?.events.append((serial, Self.lines(of: report)))
            if couriers[courier]?.events.count ?? 0 > Self.atOnce { couriers[courier]?.events.removeFirst() }
        }
        return Set(found.map(\.courier))
    }

    /// The events for a courier behind a place, and the place behind them. What nobody else of the courier's listens for is kept no longer.
    mutating func news(for courier: ID, after place: Int) -> (lines: [UInt8], place: Int) {
        let events = (couriers[courier]?.events ?? []).filter { $0.serial > place }
        if couriers[courier]?.listeners == 1 { couriers[courier]?.events = [] }
        return (events.flatMap(\.lines), events.last?.serial ?? place)
    }

    private static func lines(of report: RoadReport) -> [UInt8] {
        var json = JSONWriter()
        json.object(report.write)
        return Array("event: road\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }
}
