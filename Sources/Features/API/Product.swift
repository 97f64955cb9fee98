import Crypto
import EventLoop
import HTTP
import Postgres

/// All features, put together on a database that is migrated.
public struct Product: Sendable {
    /// Every route there is.
    public let routes: [Route]
    /// Fills an empty database.
    public let demo: Demo
    private let hasher: PasswordHasher
    /// What goes on beside requests.
    private let upkeep: [Task<Void, Never>]
    private let ear: Ear
    private let numbering: EventNumbering
    private let leaving: Leaving
    private let tail: FeedTail
    private let outbox: OutboxTail

    /// What the features are told from outside.
    public struct Settings: Sendable {
        /// Where people reach Kurir, without a slash at the end.
        public var publicURL: PublicURL
        /// How many times as much as usual may be tried; nil is any number.
        public var looseness: Double?
        /// The phone apps.
        public var apps: MobileApps
        /// Threads that hash passwords.
        public var hashingThreads: Int
        /// How many days events are kept.
        public var eventDays: Int
        /// How many days messages are kept that were sent or given up.
        public var messageDays: Int
        /// Kurir's version.
        public var version: String

        /// As they are told.
        public init(
            publicURL: PublicURL, looseness: Double?, apps: MobileApps, hashingThreads: Int, eventDays: Int,
            messageDays: Int, version: String
        ) {
            self.publicURL = publicURL
            self.looseness = looseness
            self.apps = apps
            self.hashingThreads = hashingThreads
            self.eventDays = eventDays
            self.messageDays = messageDays
            self.version = version
        }
    }

    /// Puts the rooms together. `status` is the room of those who run Kurir; `failed` is told what could not be done
    /// beside requests.
    public init(
        _ settings: Settings, lanes: Lanes, on group: EventLoopGroup, status: StatusRoom,
        failed: @escaping @Sendable (_ job: String, any Error) -> Void
    ) async throws {
        let database = lanes.requests
        let slowReads = SlowReads(lanes.slow)
        let secret = try await ServerSecret.shared(by: database)
        let tail = try await FeedTail(on: group)
        self.tail = tail
        let memory = try await SessionMemory(on: group)
        let ear = try await lanes.ear(on: ["kurir_events", "kurir_sessions"]) { text, channel in
            if channel == "kurir_events" { tail.wake(text) } else { memory.forget(text) }
        } changed: {
            tail.wakeEverybody()
        }
        self.ear = ear
        let authenticator = Authenticator(database, memory, ear)
        let throttle = Throttle(database, looseness: settings.looseness)
        let codes = InviteCodes(secret: secret, publicURL: settings.publicURL)
        let redemption = Redemption(codes: codes)
        let cookie = SessionCookie(isSecure: settings.publicURL.text.hasPrefix("https://"))
        hasher = try PasswordHasher(threads: settings.hashingThreads, waiting: 128)
        let outbox = try await OutboxTail(database, on: group)
        self.outbox = outbox
        let committer = try await Committer(database, on: group)
        demo = Demo(database, hasher, committer)
        let leaving = Leaving(database, committer, on: group.loops[0]) { failed("end partnerships", $0) }
        self.leaving = leaving
        let numbering = await EventNumbering(lanes.feed, on: group.loops[0]) { failed("number events", $0) }
        self.numbering = numbering
        upkeep = [
            Task(executorPreference: group.loops[0]) {
                await Housekeeping(lanes.upkeep, jobs: Self.jobs(settings), failed: failed).run(on: group.loops[0])
            },
            Task(executorPreference: group.loops[0]) {
                await Plans(lanes.all) { failed("plan", $0) }.run(on: group.loops[0])
            },
        ]

        let rooms: [any Room] = [
            AccountRoom(
                database: database, hasher: hasher, authenticator: authenticator, throttle: throttle, secret: secret,
                redemption: redemption, cookie: cookie),
            SessionRoom(
                database: database, hasher: hasher, authenticator: authenticator, throttle: throttle, cookie: cookie),
            DeviceRoom(), InviteRoom(codes: codes),
            PartnerRoom(redemption: redemption, leaving: leaving), CourierRoom(searches: slowReads),
            DeliveryRoom(committer: committer, searches: slowReads),
            EventRoom(
                database: database, tail: tail, ear: ear, authenticator: authenticator, streams: StreamCount()),
            OutboxRoom(database: database, tail: outbox), StatsRoom(reads: slowReads), status,
        ]
        let app = AppRoom(codes: codes)
        let pages = PageRoom(
            described: rooms + [app], version: settings.version, throttle: throttle, codes: codes, apps: settings.apps)
        let gate = Gate(
            database: database, authenticator: authenticator, throttle: throttle, secret: secret, words: .features
        ) {
            numbering.ring()
            outbox.ring()
        }
        routes = gate.routes(of: rooms + [app, pages])
    }

    private static func jobs(_ settings: Settings) -> [Housekeeping.Job] {
        [
            Housekeeping.Job(name: "event partitions") {
                try await $0.run(RenewEventPartitions(days: Int32(settings.eventDays))).first == true
            },
            Housekeeping.Job(name: "former cursors") {
                try await $0.run(ForgetFormerCursors(days: Int32(settings.eventDays))).first ?? 0 >= 1000
            },
            Housekeeping.Job(name: "message partitions") {
                try await $0.run(RenewMessagePartitions(days: Int32(settings.messageDays)))
                return false
            },
            Housekeeping.Job(name: "outdated messages") {
                try await $0.run(BuryOutdated(days: Int32(settings.messageDays))).first ?? 0 >= 1000
            },
            Housekeeping.Job(name: "message counts") {
                try await $0.run(FoldMessageCounts())
                return false
            },
            Housekeeping.Job(name: "outdated rows") { try await $0.run(RemoveOutdated()).first == true },
        ]
    }

    /// Ends what requests wait for, so that they can end soon.
    public func prepareToStop() async {
        await tail.stop()
        await outbox.stop()
    }

    /// Stops what runs beside requests.
    public func stop() async {
        await prepareToStop()
        for task in upkeep { task.cancel() }
        numbering.stop()
        leaving.stop()
        await ear.stop()
        // On a thread of its own, since it waits for threads.
        await Task.detached { hasher.stop() }.value
    }
}

/// Where people reach Kurir. Where nobody says so it is known only once the server listens.
public final class PublicURL: Sendable {
    private let url: Locked<String>

    /// What is known before the start.
    public init(_ text: String = "") { url = Locked(text) }

    /// Without a slash at the end.
    public internal(set) var text: String {
        get { url.withLock { $0 } }
        set { url.withLock { $0 = newValue } }
    }

    /// The server listens there, in case nobody said where people reach it.
    public func listens(at address: ListenAddress) {
        url.withLock { if $0.isEmpty { $0 = "http://\(address)" } }
    }
}
