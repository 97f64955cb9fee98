import API
import Domain
import HTTP
import Postgres

/// An account as its owner sees it.
struct Account: Sendable {
    let id: ID
    let profile: Profile
    let language: String
    let notificationsEnabled: Bool
    let createdAt: Timestamp
    /// What it shows of itself.
    let shown: ShownProfile

    enum Profile: Sendable {
        case store(StoreProfile)
        case courier(CourierProfile, CourierStats)
    }

    static let shape = Shape.anyOf([storeShape, courierShape], named: "Account")
    static let storeShape = profile(
        "StoreAccount", .store,
        [.init("email", Shape.string().orNull), .init("email_verified", .boolean)]
            + ["name", "country", "tax_id", "address", "phone"].map { .init($0, .string()) }
            + [
                .init("alert_after_minutes", .integer(StoreProfile.alertAfter)), .init("proof", WantedProof.shape),
                .init("offer", OfferTurns.shape), .init("location", Location.written.orNull),
                .init("tell_recipients", .boolean), .init("opening_hours", Shape.string().orNull),
                .init("wants", WantedPapers.shape),
            ])
    static let courierShape = profile(
        "CourierAccount", .courier,
        ["first_name", "last_name"].map { .init($0, .string()) } + [
            .init("phone", Shape.string().orNull), .init("phone_verified", .boolean),
            .init("stats", CourierStats.shape), .init("rating", Shape.number.orNull), .init("on_duty", .boolean),
            .init("duty_until", Shape.time.orNull), .init("share_position", PositionSharing.shape),
        ])

    private static func profile(_ name: String, _ kind: AccountKind, _ own: [Shape.Member]) -> Shape {
        .object(
            name,
            [.init("id", .id), .init("kind", .constant(kind.rawValue))] + own + [
                .init("language", Language.shape),
                .init("notifications_enabled", .boolean), .init("created_at", .time),
            ] + ShownProfile.members)
    }

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        switch profile {
        case .store(let store):
            json.field("kind", AccountKind.store.rawValue)
            json.field("email", store.email)
            json.field("email_verified", store.isVerified)
            json.field("name", store.name)
            json.field("country", store.taxID.country.code)
            json.field("tax_id", store.taxID.number)
            json.field("address", store.address)
            json.field("phone", store.phone)
            json.field("alert_after_minutes", Int(store.alertAfterMinutes))
            json.object("proof", store.proof.write)
            json.object("offer") { OfferTurns.write(store.turns, &$0) }
            json.field("location", store.location)
            json.field("tell_recipients", store.tellsRecipients)
            json.field("opening_hours", store.openingHours)
            json.array("wants", store.wants) { $0.item($1) }
        case .courier(let courier, let stats):
            json.field("kind", AccountKind.courier.rawValue)
            json.field("first_name", courier.firstName)
            json.field("last_name", courier.lastName)
            json.field("phone", courier.phone)
            json.field("phone_verified", courier.isVerified)
            json.object("stats", stats.write)
            json.field("rating", courier.meanStars)
            json.field("on_duty", courier.isOnDuty)
            json.field("duty_until", courier.dutyUntil)
            json.field("share_position", courier.sharesPosition)
        }
        json.field("language", language)
        json.field("notifications_enabled", notificationsEnabled)
        json.field("created_at", createdAt)
        shown.write(&json)
    }
}

extension Account {
    /// What it signs in with; nil when somebody else has proven what it said was its own.
    var login: Login? {
        switch profile {
        case .store(let store): store.email.flatMap(Login.init(kept:))
        case .courier(let courier, _): courier.phone.flatMap(Login.init(kept:))
        }
    }

    /// Whether that is proven.
    var isVerified: Bool {
        switch profile {
        case .store(let store): store.isVerified
        case .courier(let courier, _): courier.isVerified
        }
    }

    /// What others know of it, and so would guess its password to be.
    var knownWords: [String] {
        switch profile {
        case .store(let store): [store.name, store.email ?? "", store.phone]
        case .courier(let courier, _):
            [courier.firstName, courier.lastName, "\(courier.firstName) \(courier.lastName)", courier.phone ?? ""]
        }
    }
}

/// A store's own data.
struct StoreProfile: Sendable {
    let email: String?
    let isVerified: Bool
    let taxID: TaxID
    let name: String
    let address: String
    let phone: String
    let alertAfterMinutes: Int16
    /// What handing over must show where a delivery does not say it.
    let proof: WantedProof
    /// How couriers are offered something where a delivery does not say it: in turn, or all at once.
    let turns: OfferTurns?
    let location: Location?
    /// Whether recipients are told of what comes.
    let tellsRecipients: Bool
    /// When it is open, in its words.
    let openingHours: String?
    /// Which papers it wants of its couriers.
    let wants: [String]

    /// After how many minutes it may be told that nobody accepts.
    static let alertAfter = 1...240
}

/// A courier's own data.
struct CourierProfile: Sendable {
    let firstName: String
    let lastName: String
    let phone: String?
    let isVerified: Bool
    let isOnDuty: Bool
    /// When that is the other way round.
    let dutyUntil: Timestamp?
    /// How many stars recipients gave on average, when there were ten, twenty and so on.
    let meanStars: Double?
    /// When its stores see where it is.
    let sharesPosition: String
}

/// How reliable a courier is.
struct CourierStats: Sendable {
    var accepted: Int32 = 0
    var delivered: Int32 = 0
    var cancelled: Int32 = 0
    var declined: Int32 = 0
    /// Those that its stores excused. They are not among the cancelled ones.
    var excused: Int32 = 0

    static let shape = Shape.object(
        "CourierStats",
        ["accepted", "delivered", "cancelled", "declined", "excused"].map { Shape.Member($0, .count) })

    func write(_ json: inout JSONWriter) {
        json.field("accepted", Int(accepted))
        json.field("delivered", Int(delivered))
        json.field("cancelled", Int(cancelled))
        json.field("declined", Int(declined))
        json.field("excused", Int(excused))
    }

    /// The columns of a courier `c` that ``init(_:)`` reads.
    static let columns = "c.accepted, c.delivered, c.cancelled, c.declined, c.excused"

    init(_ row: inout RowReader) throws {
        accepted = try row.read()
        delivered = try row.read()
        cancelled = try row.read()
        declined = try row.read()
        excused = try row.read()
    }

    /// A courier without any deliveries yet.
    init() {}
}

/// Finds an account by its id.
struct FindAccount: Statement {
    static let sql = """
        SELECT a.id, a.language, a.notifications_enabled, a.created_at, \(ShownProfile.columns), a.kind,
            s.email, s.email_verified, s.country, s.tax_id, s.name, s.address, s.phone,
            s.alert_after_minutes, s.proof_pin, s.proof_photo, s.proof_signature, s.turn_order, s.turn_seconds,
            s.lat, s.lon, coalesce(s.tell_recipients, false), s.opening_hours,
            coalesce(s.wants, '{}'), c.first_name, c.last_name, c.phone, c.phone_verified,
            duty_now(c.on_duty, c.duty_until), CASE WHEN c.duty_until > now() THEN c.duty_until END,
            c.mean_stars, c.share_position, \(CourierStats.columns)
        FROM accounts a LEFT JOIN stores s USING (id) LEFT JOIN couriers c USING (id) WHERE a.id = $1
        """
    static let isReadOnly = true
    let id: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> Account {
        let (id, language): (ID, String) = (try row.read(), try row.read())
        let (notifications, createdAt): (Bool, Timestamp) = (try row.read(), try row.read())
        let shown = try ShownProfile(&row)
        return Account(
            id: id, profile: try profile(&row), language: language, notificationsEnabled: notifications,
            createdAt: createdAt, shown: shown)
    }

    private static func profile(_ row: inout RowReader) throws -> Account.Profile {
        let kind: String = try row.read()
        guard kind == AccountKind.courier.rawValue else {
            return .store(
                StoreProfile(
                    email: try row.read(), isVerified: try row.read(), taxID: try TaxID(&row), name: try row.read(),
                    address: try row.read(), phone: try row.read(), alertAfterMinutes: try row.read(),
                    proof: try WantedProof(&row), turns: try OfferTurns.read(&row), location: try Location.read(&row),
                    tellsRecipients: try row.read(), openingHours: try row.read(), wants: try row.read()))
        }
        let (_, _): (String?, Bool?) = (try row.read(), try row.read())
        for _ in 0..<5 { let _: String? = try row.read() }
        let _: Int16? = try row.read()
        _ = try WantedProof(&row)
        _ = try OfferTurns.read(&row)
        _ = try Location.read(&row)
        let (_, _, _): (Bool, String?, [String]) = (try row.read(), try row.read(), try row.read())
        let courier = CourierProfile(
            firstName: try row.read(), lastName: try row.read(), phone: try row.read(), isVerified: try row.read(),
            isOnDuty: try row.read(), dutyUntil: try row.read(), meanStars: try row.read(),
            sharesPosition: try row.read())
        return .courier(courier, try CourierStats(&row))
    }
}

extension TaxID {
    /// Reads the country and the number.
    fileprivate init(_ row: inout RowReader) throws {
        let country: String = try row.read()
        self.init(kept: try row.read(), in: Country(known: country))
    }
}
