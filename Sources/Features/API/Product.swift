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
    private let housekeeping: Housekeeping
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
        /// How long events are kept.
        public var eventRetention: Duration
        /// How many days messages are kept that were sent or given up.
        public var messageDays: Int
        /// Kurir's version.
        public var version: String

        /// As they are told.
        public init(
            publicURL: PublicURL, looseness: Double?, apps: MobileApps, hashingThreads: Int, eventRetention: Duration,
            messageDays: Int, version: String
        ) {
            self.publicURL = publicURL
            self.looseness = looseness
            self.apps = apps
            self.hashingThreads = hashingThreads
            self.eventRetention = eventRetention
            self.messageDays = messageDays
            self.version = version
        }
    }

    /// Puts the rooms together. `status` is the room of those who run Kurir.
    public init(
        _ settings: Settings, database: Database, on group: EventLoopGroup, status: StatusRoom
    ) async throws {
        let secret = try await ServerSecret.shared(by: database)
        let authenticator = try await Authenticator(database, on: group)
        let throttle = Throttle(database, looseness: settings.looseness)
        let codes = InviteCodes(secret: secret, publicURL: settings.publicURL)
        let redemption = Redemption(codes: codes)
        let cookie = SessionCookie(isSecure: settings.publicURL.text.hasPrefix("https://"))
        hasher = try PasswordHasher(threads: settings.hashingThreads, waiting: 128)
        housekeeping = Housekeeping(
            database, on: group, keepingEventsFor: settings.eventRetention, messagesFor: settings.messageDays)
        let tail = try await FeedTail(database, on: group)
        self.tail = tail
        let outbox = try await OutboxTail(database, on: group)
        self.outbox = outbox
        let committer = try await Committer(database, on: group) { readers in
            tail.ring(for: readers)
            outbox.ring()
        }
        demo = Demo(database, hasher, committer)

        let rooms: [any Room] = [
            AccountRoom(
                database: database, hasher: hasher, authenticator: authenticator, throttle: throttle, secret: secret,
                redemption: redemption, cookie: cookie),
            SessionRoom(
                database: database, hasher: hasher, authenticator: authenticator, throttle: throttle, cookie: cookie),
            DeviceRoom(), InviteRoom(throttle: throttle, codes: codes),
            PartnerRoom(throttle: throttle, redemption: redemption, committer: committer), CourierRoom(),
            DeliveryRoom(committer: committer),
            EventRoom(database: database, tail: tail, authenticator: authenticator, streams: StreamCount()),
            OutboxRoom(database: database, tail: outbox), StatsRoom(), status,
        ]
        let app = AppRoom(codes: codes)
        let pages = PageRoom(
            described: rooms + [app], version: settings.version, throttle: throttle, codes: codes, apps: settings.apps)
        let gate = Gate(database: database, authenticator: authenticator, secret: secret, words: .features)
        routes = gate.routes(of: rooms + [app, pages])
    }

    /// Ends what requests wait for, so that they can end soon.
    public func prepareToStop() async {
        await tail.stop()
        await outbox.stop()
    }

    /// Stops what runs beside requests.
    public func stop() async {
        await prepareToStop()
        housekeeping.stop()
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
