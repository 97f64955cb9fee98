import API
import Product
import Domain
import EventLoop
import Gateways
import HTTP
import Observability
import Papers
import Places
import Postgres
import Services

/// The settings of `kurir serve`.
struct Configuration: Sendable {
    var server: ServerConfiguration
    var admin: AdminAddress
    var database: DatabaseLocation
    /// Whether it is a trial with people who play in it.
    var isDemo: Bool { if case .temporary = database { true } else { false } }
    /// The file with the keys, if it is not the one beside the data.
    var keyFile: String?
    /// How libpq reaches a replica of it.
    var replica: String?
    var loops: Int
    var poolSize: Int
    var logFormat: LogFormat
    var drain: Duration
    var shutdownGrace: Duration
    /// What stopping may take besides those two. A database of our own is given ten seconds of it, and then stopped at once.
    var timeToStop: Duration { database.isByAddress ? .seconds(10) : .seconds(25) }
    var gateways: OwnGateways
    /// Where pictures are kept, if not in the database.
    var files: ObjectStore.Settings?
    /// Who is asked far away.
    var services: ServicesFarAway.Settings
    /// What couriers' papers are judged by.
    var papers: KnownPapers.Files
    var product: Composition.Settings

    init(_ settings: GivenSettings) throws {
        server = ServerConfiguration(listen: try Self.listen(settings))
        admin = try AdminAddress(settings)
        if case .asked(let address) = admin, address.port != 0, "\(address)" == "\(server.listen)" {
            throw UsageError("--admin-listen is \(address), and so is --listen: operators have an address of their own")
        }
        gateways = try OwnGateways(settings)
        product = try Self.product(settings, at: server.listen)
        product.pushHosts = gateways.pushHosts
        files = try ObjectStore.Settings(settings)
        services = try Self.services(settings)
        papers = KnownPapers.Files(
            keys: settings.text(.certificateKeys), rules: settings.text(.certificateRules))
        server.isByTLSAlone = product.publicURL.isSecure
        server.limits = try Self.limits(settings, product.looseness)
        server.trustedProxies =
            try settings.value(.trustedProxies, expected: "networks, as in 10.0.0.0/8,::1") {
                GivenSettings.list($0, IPNetwork.init)
            } ?? []
        server.allowedOrigins =
            try settings.value(.allowedOrigins, expected: "origins, as in https://shop.example, or *") {
                GivenSettings.list($0, Self.origin)
            } ?? []
        database = try DatabaseLocation(settings)
        if case .temporary = database { product.isDemo = true }
        server.tls = try Self.tls(settings, product)
        keyFile = settings.text(.keyFile)
        if database.isByAddress { _ = try database.keyFile(keyFile) }
        replica = try settings.text(.replica).map { try DatabaseLocation.checked($0, by: .replica) }
        if replica != nil, !database.isByAddress {
            throw UsageError("--replica wants --database: a PostgreSQL of Kurir's own has no replica")
        }
        loops = try settings.number(.loops, in: 1...256) ?? EventLoopGroup.coreCount
        poolSize = try settings.number(.poolSize, in: 1...64) ?? Self.usualPoolSize(loops: loops)
        guard loops * poolSize <= Self.mostConnections else {
            throw UsageError(
                "--loops \(loops) with --pool-size \(poolSize) are \(loops * poolSize) connections to the database:"
                    + " at most \(Self.mostConnections) do any good")
        }
        logFormat = try settings.value(.logFormat, expected: "text or json", LogFormat.init) ?? .text
        drain = .seconds(try settings.number(.drainSeconds, in: 0...300) ?? 0)
        shutdownGrace = .seconds(try settings.number(.shutdownGrace, in: 0...3600) ?? 5)
        try settings.refuseIdle()
    }

    /// A certificate is somebody's whom people know by name. The people of a demo come without TLS.
    private static func tls(_ settings: GivenSettings, _ product: Composition.Settings) throws -> TLSFiles? {
        guard let files = try TLSFiles(settings) else { return nil }
        guard product.publicURL.isSecure else {
            throw UsageError(
                "--tls-cert wants --public-url https://NAME: the certificate is for a name, and links begin with it")
        }
        guard !product.isDemo else {
            throw UsageError("--demo and --tls-cert exclude each other: who plays in the demo does not speak TLS")
        }
        return files
    }

    /// Where clients are served.
    static func listen(_ settings: GivenSettings) throws -> ListenAddress {
        try settings.value(.listen, expected: "HOST:PORT, as in 127.0.0.1:8080", ListenAddress.init)
            ?? ListenAddress(host: "127.0.0.1", port: 8080)
    }

    private static func product(_ settings: GivenSettings, at listen: ListenAddress) throws -> Composition.Settings {
        let url = try settings.value(.publicURL, expected: "https://… without a path", publicOrigin)
        let apps = MobileApps(
            apple: try settings.value(.appleApps, expected: "app ids, as in TEAM12345.hr.example.courier") {
                GivenSettings.list($0, appleApp)
            } ?? [],
            android: try settings.value(.androidApps, expected: "PACKAGE=SHA256, as in hr.example.courier=AB:CD:…") {
                GivenSettings.list($0, androidApp)
            } ?? [])
        var product = Composition.Settings(
            publicURL: PublicURL(url ?? ""), looseness: try looseness(settings), apps: apps,
            hashingThreads: max(1, EventLoopGroup.coreCount / 2),
            eventDays: try settings.number(.eventDays, in: 1...3650) ?? 30,
            messageDays: try settings.number(.messageDays, in: 1...3650) ?? 30,
            verifies: try verifies(settings, isPublic: url != nil || !listen.isLoopback), version: Command.version)
        product.trust = try trust(settings)
        product.recipientDays = try settings.number(.recipientDays, in: 1...3650) ?? product.recipientDays
        product.trailDays = try settings.number(.trailDays, in: 1...3650) ?? product.trailDays
        product.conversationDays =
            try settings.number(.conversationDays, in: 1...3650) ?? product.conversationDays
        product.photoDays = try settings.number(.photoDays, in: 1...3650) ?? product.photoDays
        product.mostJobs = try settings.number(.mostJobs, in: 1...10_000) ?? product.mostJobs
        product.map = try map(settings)
        product.radars = try settings.value(.radars, expected: "on or off") { ["on": true, "off": false][$0] } ?? true
        return product
    }

    private static func services(_ settings: GivenSettings) throws -> ServicesFarAway.Settings {
        var services = ServicesFarAway.Settings()
        services.geocoder = try settings.value(
            .geocoder, expected: "photon:URL or nominatim:URL, as in photon:https://photon.example", GeocoderPlace.init)
        services.router = try settings.value(
            .router, expected: "a URL without a query, as in https://osrm.example", ServiceURL.init)
        services.weather = try settings.value(
            .weather, expected: "open-meteo or open-meteo:URL, as in open-meteo:https://weather.example",
            WeatherPlace.init)
        return services
    }

    /// What maps are drawn on. A file is opened now, so that a wrong one is refused.
    private static func map(_ settings: GivenSettings) throws -> MapSource {
        let attribution = settings.text(.mapAttribution)
        let form = "https://…/{z}/{x}/{y}.png or a file of pictures that ends in .mbtiles"
        guard let text = try settings.value(.map, expected: form, { MapSource.takes($0) ? $0 : nil }) else {
            return try settings.has(.demo) ? Demo.map : .grid
        }
        do {
            return try MapSource(text, attribution: attribution)
        } catch {
            throw UsageError("--map \(text): \(error)")
        }
    }

    /// Where nobody else can come, and in a trial, people are who they say they are.
    private static func verifies(_ settings: GivenSettings, isPublic: Bool) throws -> Bool {
        let given = try settings.value(.verify, expected: "on or off") { ["on": true, "off": false][$0] }
        return try given ?? (isPublic && !settings.has(.demo))
    }

    private static func trust(_ settings: GivenSettings) throws -> Trust {
        var trust = Trust()
        func three(_ option: Option, _ example: String) throws -> [Int]? {
            try settings.value(option, expected: "three numbers from 1 to 1000000, as in \(example)") { text in
                GivenSettings.list(text) { Int($0).flatMap { (1...1_000_000).contains($0) ? $0 : nil } }
                    .flatMap { $0.count == 3 ? $0 : nil }
            }
        }
        if let rates = try three(.rates, "600,6000,20000") {
            (trust.rates.deliveries, trust.rates.writes, trust.rates.told) = (rates[0], rates[1], rates[2])
        }
        trust.offersBySMS =
            try settings.value(.offersBySMS, expected: "on or off") { ["on": true, "off": false][$0] } ?? false
        trust.storeApproval =
            try settings.value(.storeApproval, expected: "on or off") { ["on": true, "off": false][$0] } ?? false
        if let budget = try three(.smsBudget, "100,5,1000") {
            (trust.sms.ofStore, trust.sms.toNumber, trust.sms.inAll) = (budget[0], budget[1], budget[2])
        }
        let countries = try settings.value(.smsCountries, expected: "countries by their two letters, as in HR,SI") {
            GivenSettings.list($0) { CallingCodes.knows($0) ? $0 : nil }
        }
        trust.sms.countries = countries ?? trust.sms.countries
        return trust
    }

    private static func looseness(_ settings: GivenSettings) throws -> Double? {
        let given = try settings.value(.throttle, expected: "on, off, or how many times as much, as in 10") { text in
            switch text {
            case "on": Double?.some(1)
            case "off": Double?.some(.infinity)
            default: Int(text).flatMap { (1...1000).contains($0) ? Double($0) : nil }
            }
        }
        return given == .infinity ? nil : given ?? 1
    }

    /// A team's id and the app's name, of at least two words.
    private static func appleApp(_ text: String) -> String? {
        text.wholeMatch(of: #/[A-Z0-9]+(\.[A-Za-z0-9-]+){2,}/#) == nil ? nil : text
    }

    private static func androidApp(_ text: String) -> (package: String, fingerprint: String)? {
        text.wholeMatch(of: #/(\w+(?:\.\w+)+)=([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31})/#).map {
            (String($0.1), String($0.2))
        }
    }

    /// Links begin with this origin. A slash at its end is allowed.
    static func publicOrigin(_ text: String) -> String? {
        let text = text.hasSuffix("/") ? String(text.dropLast()) : text
        return text == "*" ? nil : origin(text)
    }

    private static let mostConnections = 1000

    /// A usual PostgreSQL takes a hundred connections. Many loops must share those that Kurir uses.
    private static func usualPoolSize(loops: Int) -> Int {
        // Each loop has two more for searches, and a few are shared by all.
        max(1, min(8, 90 / loops - 2))
    }

    private static func limits(_ settings: GivenSettings, _ looseness: Double?) throws -> Limits {
        var limits = Limits()
        if let bound = try settings.number(.maximumConnections, in: 1...1_000_000) { limits.connections = bound }
        if let bound = try settings.number(.maximumConnectionsPerAddress, in: 1...1_000_000) {
            limits.connectionsPerAddress = bound
        }
        if let bound = try settings.number(.maximumRequests, in: 1...1_000_000) { limits.requests = bound }
        if let bound = try settings.number(.maximumRequestsPerAddress, in: 1...1_000_000) {
            limits.requestsPerAddress = bound
        }
        if looseness == nil {
            limits.connectionsPerAddress = nil
            limits.requestsPerAddress = nil
            limits.waitingPerAddress = nil
        }
        return limits
    }

    /// A scheme and a host, perhaps with a port, and nothing besides.
    private static func origin(_ text: String) -> String? {
        if text == "*" { return text }
        let form = #/https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?<port>[0-9]{1,5}))?/#
        guard let parts = text.wholeMatch(of: form) else { return nil }
        return parts.port.map { (1...65_535).contains(Int($0) ?? 0) } ?? true ? text : nil
    }
}

/// Which PostgreSQL is used.
enum DatabaseLocation: Sendable {
    /// A server that somebody else runs.
    case url(String)
    /// Our own server, in this directory.
    case directory(String)
    /// Our own server, which is removed at the end.
    case temporary

    init(_ settings: GivenSettings) throws {
        let given = [Option.database, .dataDirectory, .demo].filter(settings.isOnCommandLine)
        guard given.count < 2 else {
            throw UsageError("--\(given[0].name) and --\(given[1].name) exclude each other: which database is meant?")
        }
        if try settings.has(.demo), given.isEmpty || given[0].name == Option.demo.name {
            self = .temporary
        } else if let url = settings.text(.database), given.first?.name != Option.dataDirectory.name {
            self = .url(try Self.checked(url, by: .database))
        } else {
            self = .directory(settings.text(.dataDirectory) ?? "kurir-data")
        }
    }

    /// The file with the keys: the one that is named, or the one beside the data.
    func keyFile(_ named: String?) throws -> KeyFile {
        switch (named, self) {
        case (let named?, _): return KeyFile(named)
        case (nil, .directory(let directory)): return KeyFile(in: directory)
        case (nil, .url), (nil, .temporary):
            throw UsageError(
                "--database wants --key-file FILE: what is secret is sealed with a key that the database does not have."
                    + " kurir keys make FILE makes one; all nodes share it")
        }
    }

    var isByAddress: Bool { if case .url = self { true } else { false } }

    static func checked(_ url: String, by option: Option) throws -> String {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") || url.contains("=") else {
            throw UsageError("--\(option.name) must be given as postgresql://user@host/name or as host=… dbname=…")
        }
        do {
            try DatabaseURL.check(url)
        } catch let error as DatabaseURL.Invalid {
            throw UsageError("--\(option.name): \(error)")
        }
        return url
    }
}
