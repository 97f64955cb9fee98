import Domain
import EventLoop
import Glibc
import Simulation

/// `kurir simulate`: plays a story on a server, and proves that the server told it as it was.
struct SimulateCommand {
    private let server: String
    private let seed: UInt64
    private let couriers, stores, days: Int
    private let speed: Int?
    private let isPast: Bool

    init(_ settings: GivenSettings) throws {
        server =
            try settings.value(
                .simulatedServer, expected: "http://HOST:PORT without a path", Configuration.publicOrigin)
            ?? "http://127.0.0.1:8080"
        seed = UInt64(try settings.number(.simulatedSeed, in: 0...Int.max) ?? 1)
        couriers = try settings.number(.simulatedCouriers, in: 1...1000) ?? 18
        stores = try settings.number(.simulatedStores, in: 1...100) ?? 5
        days = try settings.number(.simulatedDays, in: 1...365) ?? 1
        speed = try settings.number(.simulatedSpeed, in: 1...100_000)
        isPast = try settings.has(.simulatedPast)
        if isPast, speed != nil {
            throw UsageError("--past and --speed exclude each other: what is past takes no time")
        }
    }

    /// Plays it to its end. The process fails if anything was otherwise than it should be.
    func run() throws {
        var chance = Chance(seed: seed)
        let cast = Cast(stores: stores, couriers: couriers, seed: seed, &chance)
        let (members, reached) = try Registration.register(cast, on: StoryServer(server))
        var stage = WatchedStage(
            ServerStage(reached, cast, members, midnight: isPast ? midnight : nil), cast, members.mapValues(\.id))
        let began = Instant.now
        // A turn that began in the past is over.
        let hasTurns = !isPast && speed.map { $0 >= Self.leastWithTurns } ?? true
        try play(Story(of: cast, hasTurns: hasTurns, chance), on: &stage)
        let seconds = Double(Instant.now.nanoseconds(since: began)) / 1e9
        try stage.settle()
        report(stage, requests: stage.stage.server.requests, seconds)
    }

    private static let day = 86_400
    /// Stores look again within half an hour and end turns, which the server does after ten minutes.
    private static let leastWithTurns = 4

    /// The midnight before so many days, in milliseconds since 1970.
    private var midnight: Int { (time(nil) / Self.day - days) * Self.day * 1000 }

    private func play(_ start: Story, on stage: inout WatchedStage) throws {
        var (story, today) = (start, 0)
        var pace = speed.map(Pace.init(speed:))
        while story.next < days * Self.day {
            pace?.wait(until: story.next)
            try story.goOn(&stage)
            // Each day's feeds are read in the evening.
            guard story.next / Self.day > today else { continue }
            today = story.next / Self.day
            try stage.readFeeds()
        }
    }

    private func report(_ stage: WatchedStage, requests: Int, _ seconds: Double) {
        let (ledger, server) = (stage.ledger, stage.stage.server)
        let last = ledger.created.compactMap { ledger[$0] }
        func count(_ status: DeliveryStatus) -> Int { last.count { $0.status == status } }
        let rate = Double(requests) / seconds
        print(
            """
            seed \(seed): \(days) days of \(stores) stores and \(couriers) couriers
            \(last.count) deliveries: \(count(.delivered)) delivered, \(count(.cancelled)) cancelled, \
            \(count(.pending) + count(.inProgress)) open; \(last.reduce(0) { $0 + $1.forfeited.count }) given back
            \(server.requests) requests, \(server.retries) of them again, in \(Int(seconds)) s (\(Int(rate))/s)
            """)
        guard !stage.wrong.isEmpty else { return print("every step, list, history and feed is as it should be") }
        for line in stage.wrong.prefix(20) { print("wrong: \(line)") }
        Kurir.fail("\(stage.wrong.count) things are otherwise than they should be", code: EXIT_FAILURE)
    }
}
