import API
import Deliveries
import Domain
import Papers
import Places
import Services

extension Composition {
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

        /// Knows the weather, if anybody does.
        var weather: WeatherSource? { services?.weather ?? (isDemo ? DemoSky.source : nil) }

        /// Knows addresses, if anybody does.
        var geocoder: Geocoder? { services?.geocoder ?? (isDemo ? DemoStreets.geocoder : nil) }

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
}
