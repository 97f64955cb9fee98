import API
import Bulletin
import Crypto
import Deliveries
import Domain
import EventLoop
import Feed
import Figures
import Outbox
import Papers
import People
import Places
import Postgres
import Road
import Services
import Talk
import Weather

extension Composition {
    /// Every room there is. A new one is a line in the list of its kind, and what only rooms need is made here.
    struct Rooms: Sendable {
        let settings: Settings
        let database: Database
        let secret: ServerSecret
        let tails: Tails
        let threads: WorkThreads
        let entry: Entry
        let steps: Steps
        let messages: MessageCommitter
        let leaving: Leaving
        let status: StatusRoom

        let slowReads: SlowReads
        let exports: ReplicaReads
        let streams: Streams
        let newsStreams: NewsStreams
        let finder: DeliveryFinder
        let positions: PositionIntake
        let weather: WeatherDesk?
        let links: TrackingLinks
        let tracking: Tracking
        let vault: CredentialVault
        let sharedPapers: SharedPapersRoom

        init(
            settings: Settings, lanes: Lanes, on group: EventLoopGroup, secret: ServerSecret, tails: Tails,
            threads: WorkThreads, entry: Entry, steps: Steps, messages: MessageCommitter, leaving: Leaving,
            status: StatusRoom, failed: @escaping @Sendable (_ job: String, any Error) -> Void
        ) async throws {
            let database = lanes.requests
            (self.settings, self.database, self.secret, self.status) = (settings, database, secret, status)
            (self.tails, self.threads, self.entry, self.steps) = (tails, threads, entry, steps)
            (self.messages, self.leaving) = (messages, leaving)
            slowReads = SlowReads(
                lanes.slow, replica: lanes.replica, within: lanes.slowBound, seats: tails.seats)
            streams = Streams(tails.seats)
            exports = ReplicaReads(database, replica: lanes.replica)
            newsStreams = NewsStreams(authenticator: entry.authenticator, streams: streams)
            finder = try await DeliveryFinder(database, on: group)
            positions = try await PositionIntake(database, on: group)
            weather = settings.weather.map {
                WeatherDesk($0, database, throttle: entry.throttle) { failed("weather", $0) }
            }
            links = TrackingLinks(secret: secret, publicURL: settings.publicURL)
            tracking = Tracking(links: links, throttle: entry.throttle)
            vault = CredentialVault(secret)
            sharedPapers = SharedPapersRoom(vault, threads.papers, settings.papers)
        }

        /// All of them, in the order of the description.
        var all: [any Room] {
            let rooms = people + partners + papers + deliveries + records + talk + road + reading
            let described = rooms + pages(eventTypes: rooms.flatMap(\.eventTypes))
            return described + [
                PageRoom(
                    described: described, version: settings.version, throttle: entry.throttle, codes: entry.codes,
                    apps: settings.apps)
            ]
        }

        private var people: [any Room] {
            [
                AccountRoom(
                    database: database, passwords: entry.passwords, authenticator: entry.authenticator,
                    throttle: entry.throttle, confirmations: entry.confirmations, redemption: entry.redemption,
                    cookie: entry.cookie, storesWait: settings.trust.storeApproval),
                PasswordRoom(
                    database: database, passwords: entry.passwords, authenticator: entry.authenticator,
                    throttle: entry.throttle, secret: secret, publicURL: settings.publicURL),
                IdentityRoom(
                    database: database, passwords: entry.passwords, throttle: entry.throttle,
                    confirmations: entry.confirmations),
                SessionRoom(
                    database: database, hasher: threads.hasher, authenticator: entry.authenticator,
                    throttle: entry.throttle, cookie: entry.cookie),
                DeviceRoom(pushHosts: settings.pushHosts),
                SecurityRoom(),
            ]
        }

        private var partners: [any Room] {
            [
                InviteRoom(codes: entry.codes, redemption: entry.redemption, throttle: entry.throttle),
                PartnerRoom(redemption: entry.redemption, papers: sharedPapers) { [leaving] in
                    await leaving.begin($0, waitingAtMost: .seconds(8))
                },
                CourierRoom(searches: slowReads, papers: sharedPapers),
                CancellationRoom(),
            ]
        }

        private var papers: [any Room] {
            [
                CredentialRoom(vault, threads.papers, settings.papers),
                sharedPapers,
                ScanRoom(threads.scans),
            ]
        }

        private var deliveries: [any Room] {
            [
                EarningsRoom(),
                RouteRoom(),
                PlaceRoom(),
                PlaceSearchRoom(
                    searches: slowReads, throttle: entry.throttle, geocoder: settings.geocoder),
                DeliveryRoom(
                    committer: steps.committer, finder: finder, searches: slowReads,
                    clock: StepClock(canBeTold: settings.isDemo), rates: entry.rates, key: steps.key, links: links,
                    hasPictureStore: settings.pictures != nil, surroundings: surroundings),
                TrackingRoom(tracking, database: database, tail: tails.feed, streams: streams),
                MapRoom(settings.map),
            ]
        }

        /// What is known of the place that a delivery goes to.
        private var surroundings: [any Surroundings] {
            var all: [any Surroundings] = [RoadsNear(withRadars: settings.radars)]
            if let weather { all.append(DeliveryWeather(desk: weather)) }
            return all
        }

        /// What is kept of people and steps, and given out or taken away.
        private var records: [any Room] {
            [
                DepartureRoom(
                    database: database, passwords: entry.passwords, authenticator: entry.authenticator,
                    cookie: entry.cookie),
                ExportRoom(database: exports, papers: vault.exported),
                FileRoom(threads.pictures, database, settings.pictures, entry.rates),
                ProofRoom(steps.keys),
            ]
        }

        private var talk: [any Room] {
            [
                TalkRoom(committer: messages, searches: slowReads),
                QuickAnswerRoom(),
                FeedRoom<FeedDelivery>(
                    database: database, tail: tails.feed, ear: tails.ear, authenticator: entry.authenticator,
                    streams: streams, news: MessageNews(database)),
            ]
        }

        private var road: [any Room] {
            [
                PositionRoom(
                    intake: positions, tail: tails.positions, streams: newsStreams,
                    ways: settings.services?.roads.map { Ways($0, database) }),
                SuggestionRoom(roads: settings.services?.roads, thread: threads.routes),
                RoadRoom(tail: tails.roads, streams: newsStreams, reads: slowReads, withRadars: settings.radars),
                WeatherRoom(desk: weather),
            ]
        }

        /// What gateways, figures and whoever looks at Kurir itself read.
        private var reading: [any Room] {
            [
                OutboxRoom(database: database, tail: tails.outbox),
                StatsRoom(reads: slowReads),
                AreaRoom(reads: slowReads),
                OwnStatsRoom(reads: slowReads),
                BulletinRoom(),
                status,
                AboutRoom(settings),
            ]
        }

        /// What people open in browsers.
        private func pages(eventTypes: [String]) -> [any Room] {
            let app = AppRoom(
                codes: entry.codes, publicURL: settings.publicURL, map: settings.map.view, eventTypes: eventTypes)
            return [
                app,
                UndoRoom(
                    undoing: Undoing(database: database, authenticator: entry.authenticator), throttle: entry.throttle),
                ProofPageRoom(),
                TrackingPageRoom(tracking: tracking, assets: app.place, map: settings.map.view),
            ]
        }
    }
}
