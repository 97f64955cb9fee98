import API
import Bulletin
import Deliveries
import Feed
import Outbox
import Papers
import People
import Places
import Crypto
import Domain
import EventLoop
import HTTP
import Postgres
import Road
import Services
import Talk
import Weather

/// All rooms, put together on a database that is migrated.
package struct Composition: Sendable {
    /// Every route there is.
    package let routes: [Route]
    /// Fills an empty database.
    package let demo: Demo
    private let hasher: PasswordHasher
    private let intake, scans: PictureIntake
    private let reader: PaperReader
    /// The work that goes on beside requests.
    private let upkeep: [Task<Void, Never>]
    private let ear: Ear
    private let numbering: EventNumbering
    private let leaving: Leaving
    private let due: DueSweep
    private let tail: FeedTail
    private let positions: PositionTail
    private let roads: RoadTail
    private let outbox: OutboxTail
    package let messages: MessageCommitter
    private let map: MapSource

    /// The settings of the product.
    package struct Settings: Sendable {
        /// Where people reach Kurir, without a slash at the end.
        package var publicURL: PublicURL
        /// How many times the usual number of tries is let through; nil means no limit.
        package var looseness: Double?
        /// The phone apps that open invites' links.
        var apps: MobileApps
        /// Threads that hash passwords.
        var hashingThreads: Int
        /// How many days events are kept.
        var eventDays: Int
        /// How many days messages are kept after they were sent or given up.
        var messageDays: Int
        /// Whether people must prove what they sign in with.
        package var verifies: Bool
        /// Kurir's version.
        var version: String
        /// Whether requests may tell that a step happened in the past.
        package var isDemo = false
        /// What may be done, how often, and what it may cost.
        package var trust = Trust()
        /// The push services that may be in a network of one's own.
        package var pushHosts: Set<String> = []
        /// The public half of the key that signs push to browsers; nil where none is sent.
        package var webPushKey: String?
        /// Told when there may be messages.
        package var messagesMayWait: @Sendable () -> Void = {}
        /// For how many days after its end a delivery tells its recipient.
        package var recipientDays = 90
        /// How many deliveries a courier may carry at once.
        package var mostJobs = 20
        /// For how many days pictures of steps are kept.
        package var photoDays = 90
        /// For how many days it is kept where couriers went who carried something.
        package var trailDays = 7
        /// For how many days what is said in conversations is kept.
        package var conversationDays = 365
        /// Where pictures are kept, if not in the database.
        package var pictures: (any PictureStore)?
        /// Who is asked far away.
        package var services: ServicesFarAway?
        /// What maps are drawn on.
        package var map = MapSource.grid
        /// What couriers' papers are judged by.
        package var papers = KnownPapers.usual
        /// Whether speed traps may be reported.
        package var radars = true

        /// The settings as they are given.
        package init(
            publicURL: PublicURL, looseness: Double?, apps: MobileApps, hashingThreads: Int, eventDays: Int,
            messageDays: Int, verifies: Bool, version: String
        ) {
            self.publicURL = publicURL
            self.looseness = looseness
            self.apps = apps
            self.hashingThreads = hashingThreads
            self.eventDays = eventDays
            self.messageDays = messageDays
            self.verifies = verifies
            self.version = version
        }
    }

    /// Puts the rooms together. `secret` is that of all nodes, `status` the room for balancers; `failed` is told of failed jobs
    /// beside requests, `noted` of security events, `used` of budgets that are spent or soon will be.
    package init(
        _ settings: Settings, lanes: Lanes, on group: EventLoopGroup, secret: ServerSecret, status: StatusRoom,
        failed: @escaping @Sendable (_ job: String, any Error) -> Void,
        noted: @escaping @Sendable (SecurityEvent) -> Void,
        used: @escaping @Sendable (BudgetUse) -> Void
    ) async throws {
        let database = lanes.requests
        try await database.run(
            SetTrust(
                rules: settings.trust, looseness: settings.looseness, verifies: settings.verifies,
                recipientDays: settings.recipientDays, mostJobs: settings.mostJobs))
        let slowReads = SlowReads(lanes.slow, replica: lanes.replica)
        let tail = try await FeedTail(on: group)
        self.tail = tail
        let positions = try await PositionTail(database, on: group) { failed("positions", $0) }
        self.positions = positions
        let roads = try await RoadTail(database, on: group, withRadars: settings.radars) { failed("roads", $0) }
        self.roads = roads
        let memory = try await SessionMemory(on: group)
        let channels = ["kurir_events", "kurir_sessions", "kurir_budgets", PositionTail.channel, RoadTail.channel]
        let ear = try await lanes.ear(on: channels) { text, channel in
            switch channel {
            case "kurir_events": tail.wake(text)
            case PositionTail.channel: positions.note(text)
            case RoadTail.channel: roads.note(text)
            case "kurir_budgets": BudgetUse(announced: text).map(used)
            default: memory.forget(text)
            }
        } changed: {
            tail.wakeEverybody()
            positions.doubt()
        }
        self.ear = ear
        let cookie = SessionCookie(isSecure: settings.publicURL.isSecure)
        let authenticator = Authenticator(database, memory, ear, cookie)
        let throttle = Throttle(database, looseness: settings.looseness)
        let rates = Rates(database, settings.trust.rates, looseness: settings.looseness)
        let codes = InviteCodes(secret: secret, publicURL: settings.publicURL)
        let redemption = Redemption(codes: codes)
        map = settings.map
        let links = TrackingLinks(secret: secret, publicURL: settings.publicURL)
        let tracking = Tracking(links: links, throttle: throttle)
        hasher = try PasswordHasher(
            threads: settings.hashingThreads, patience: .seconds(settings.looseness == nil ? 25 : 3))
        intake = try PictureIntake("pictures", waiting: 32, mostOfOne: 4)
        // Looking for codes takes longer, and whoever waits for the last place wants to be answered before the deadline.
        scans = try PictureIntake("scans", waiting: 16, mostOfOne: 1)
        reader = try PaperReader()
        let vault = CredentialVault(secret)
        let sharedPapers = SharedPapersRoom(vault, reader, settings.papers)
        let proofKeys = ProofKeys(database, secret: secret)
        let proofKey = try await proofKeys.current()
        let passwords = Passwords(database: database, hasher: hasher, throttle: throttle, secret: secret)
        let confirmations = Confirmations(
            isOn: settings.verifies, secret: secret, publicURL: settings.publicURL, throttle: throttle)
        let outbox = try await OutboxTail(database, on: group)
        self.outbox = outbox
        let committer = try await Committer(database, on: group)
        messages = try await MessageCommitter(database, on: group)
        demo = Demo(database, hasher, committer, key: proofKey)
        let leaving = Leaving(database, committer, on: group.loops[0]) { failed("end partnerships", $0) }
        self.leaving = leaving
        let numbering = await EventNumbering(lanes.feed, on: group.loops[0]) { failed("number events", $0) }
        self.numbering = numbering
        due = DueSweep(database, committer, publicURL: settings.publicURL, on: group.loops[0]) {
            numbering.ring()
            outbox.ring()
            settings.messagesMayWait()
        } failed: {
            failed("overdue deliveries", $0)
        }
        upkeep = [
            Task(executorPreference: group.loops[0]) {
                await Deadlines(database, upkeep: lanes.upkeep, Self.dueKinds(settings), failed: failed).run(
                    on: group.loops[0])
            },
            Task(executorPreference: group.loops[0]) {
                await Plans(lanes.all) { failed("plan", $0) }.run(on: group.loops[0])
            },
        ]

        let streams = StreamCount()
        let newsStreams = NewsStreams(authenticator: authenticator, count: streams)
        let weather = settings.services?.weather.map { WeatherDesk($0, database) { failed("weather", $0) } }
        var surroundings: [any Surroundings] = [RoadsNear(withRadars: settings.radars)]
        if let weather { surroundings.append(DeliveryWeather(desk: weather)) }
        let rooms: [any Room] = [
            AccountRoom(
                database: database, passwords: passwords, authenticator: authenticator, throttle: throttle,
                confirmations: confirmations, redemption: redemption, cookie: cookie,
                storesWait: settings.trust.storeApproval),
            PasswordRoom(
                database: database, passwords: passwords, authenticator: authenticator, throttle: throttle,
                secret: secret, publicURL: settings.publicURL),
            IdentityRoom(database: database, passwords: passwords, throttle: throttle, confirmations: confirmations),
            SessionRoom(
                database: database, hasher: hasher, authenticator: authenticator, throttle: throttle, cookie: cookie),
            DeviceRoom(pushHosts: settings.pushHosts), SecurityRoom(),
            InviteRoom(codes: codes, redemption: redemption, throttle: throttle),
            PartnerRoom(redemption: redemption, papers: sharedPapers) {
                await leaving.begin($0, waitingAtMost: .seconds(8))
            },
            CourierRoom(searches: slowReads, papers: sharedPapers), CancellationRoom(),
            CredentialRoom(vault, reader, settings.papers), sharedPapers, ScanRoom(scans),
            EarningsRoom(), RouteRoom(),
            PlaceRoom(),
            PlaceSearchRoom(searches: slowReads, throttle: throttle, geocoder: settings.services?.geocoder),
            DeliveryRoom(
                committer: committer, finder: try await DeliveryFinder(database, on: group), searches: slowReads,
                clock: StepClock(canBeTold: settings.isDemo), rates: rates, key: proofKey, links: links,
                hasPictureStore: settings.pictures != nil, surroundings: surroundings),
            TrackingRoom(tracking, database: database, tail: tail), MapRoom(settings.map),
            DepartureRoom(
                database: database, passwords: passwords, authenticator: authenticator, cookie: cookie),
            ExportRoom(database: database), FileRoom(intake, database, settings.pictures, rates), ProofRoom(proofKeys),
            TalkRoom(committer: messages, searches: slowReads),
            QuickAnswerRoom(),
            FeedRoom<FeedDelivery>(
                database: database, tail: tail, ear: ear, authenticator: authenticator, streams: streams,
                news: MessageNews(database)),
            PositionRoom(
                intake: try await PositionIntake(database, on: group), tail: positions, streams: newsStreams,
                ways: settings.services?.roads.map { Ways($0, database) }),
            SuggestionRoom(roads: settings.services?.roads),
            RoadRoom(tail: roads, streams: newsStreams, withRadars: settings.radars),
            WeatherRoom(desk: weather),
            OutboxRoom(database: database, tail: outbox), StatsRoom(reads: slowReads), AreaRoom(reads: slowReads),
            OwnStatsRoom(reads: slowReads), BulletinRoom(), status,
            AboutRoom(settings),
        ]
        let app = AppRoom(
            codes: codes, publicURL: settings.publicURL, map: settings.map.view, eventTypes: rooms.flatMap(\.eventTypes)
        )
        let followed = TrackingPageRoom(tracking: tracking, assets: app.place, map: settings.map.view)
        let undo = UndoRoom(
            undoing: Undoing(database: database, authenticator: authenticator), throttle: throttle)
        let pages = PageRoom(
            described: rooms + [app, undo, ProofPageRoom(), followed], version: settings.version, throttle: throttle,
            codes: codes,
            apps: settings.apps)
        let gate = Gate(
            database: database, authenticator: authenticator, throttle: throttle, rates: rates, secret: secret,
            words: .all, noted: noted
        ) {
            numbering.ring()
            outbox.ring()
            settings.messagesMayWait()
        }
        routes = gate.routes(of: rooms + [app, undo, ProofPageRoom(), followed, pages])
    }

    /// The work that recurs.
    static func dueKinds(_ settings: Settings) -> [DueKind] {
        usualKinds(settings) + (settings.pictures.map(pictureKinds) ?? [])
    }

    private static func pictureKinds(_ store: any PictureStore) -> [DueKind] {
        let pictures = MovedPictures(to: store)
        return [
            .recurring("pictures to their store", every: .seconds(5)) { try await pictures.move(from: $0) },
            .recurring("pictures from their store", every: .seconds(60)) { try await pictures.remove(for: $0) },
        ]
    }

    private static func usualKinds(_ settings: Settings) -> [DueKind] {
        // What messages tell of recipients is not kept for longer, either.
        let messageDays = Int32(min(settings.messageDays, settings.recipientDays))
        let eventDays = Int32(settings.eventDays)
        return [
            .recurring("event partitions", every: .seconds(60)) {
                try await $0.run(RenewEventPartitions(days: eventDays)).first == true
            },
            .recurring("former cursors", every: .seconds(60)) {
                try await $0.run(ForgetFormerCursors(days: eventDays)).first ?? 0 >= 1000
            },
            .recurring("message partitions", every: .seconds(60)) {
                try await $0.run(RenewMessagePartitions(days: messageDays))
                return false
            },
            .recurring("outdated messages", every: .seconds(60)) {
                try await $0.run(BuryOutdated(days: messageDays)).first ?? 0 >= 1000
            },
            .recurring("message counts", every: .seconds(60)) {
                try await $0.run(FoldMessageCounts())
                return false
            },
            .recurring("void codes", every: .seconds(60)) { try await $0.run(ForgetVoidCodes()).first ?? 0 >= 1000 },
            .recurring("picture partitions", every: .seconds(60)) {
                try await $0.run(RenewFilePartitions(days: Int32(settings.photoDays)))
                return false
            },
            .recurring("conversation partitions", every: .seconds(60)) {
                try await $0.run(RenewConversationPartitions(days: Int32(settings.conversationDays))).first == true
            },
            .recurring("trail partitions", every: .seconds(60)) {
                try await $0.run(RenewTrailPartitions(days: Int32(settings.trailDays)))
                return false
            },
            .recurring("positions", every: .seconds(10)) {
                try await $0.run(ForgetPositions())
                return false
            },
            .recurring("roads", every: .seconds(10)) { try await $0.run(TidyRoads()).first == true },
            .recurring("weather", every: .seconds(60)) { try await $0.run(ForgetWeather()).first == true },
            .recurring("loose pictures", every: .seconds(60)) { try await $0.run(DropLooseFiles()).first ?? 0 >= 100 },
            .recurring("audit", every: .seconds(60)) { try await $0.run(RenewAudit()).first == true },
            .recurring("recipients", every: .seconds(60)) {
                try await $0.run(ForgetRecipients()).first ?? 0 >= 500
            },
            .recurring("erasures", every: .seconds(60)) { try await Departure.erase(in: $0) },
            .recurring("figures by area", every: .seconds(10)) { try await $0.run(FoldAreas()).first == true },
            .recurring("old bulletins", every: .seconds(60)) { try await $0.run(DropOldBulletins()).first ?? 0 >= 500 },
            .recurring("outdated rows", every: .seconds(60)) { try await $0.run(RemoveOutdated()).first == true },
        ]
    }

    /// How many messages of conversations wait on this node, and what became of others, by name.
    package var messageCounts: (waiting: Int, outcomes: [String: Int]) {
        get async {
            let counts = await messages.counts
            return (counts.waiting, Dictionary(uniqueKeysWithValues: counts.outcomes.map { ($0.rawValue, $1) }))
        }
    }

    /// Ends what requests wait for, so that they can finish soon.
    package func prepareToStop() async {
        await tail.stop()
        await positions.stop()
        await roads.stop()
        await outbox.stop()
    }

    /// Stops the work beside requests.
    package func stop() async {
        await prepareToStop()
        for task in upkeep { task.cancel() }
        numbering.stop()
        leaving.stop()
        due.stop()
        await ear.stop()
        // It waits for threads, so it is not done on a loop.
        await Task.detached {
            hasher.stop()
            intake.stop()
            scans.stop()
            reader.stop()
            map.stop()
        }.value
    }
}
