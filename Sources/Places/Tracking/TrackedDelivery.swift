import API
import Deliveries
import Domain
import Postgres

/// A delivery as far as its recipient may know of it. What the recipient may not know is never read, but for how far it is: the
/// database says that with when it arrives, and it is told with the position alone.
package struct TrackedDelivery: Sendable {
    package let id, store: ID
    package let storeName, storePhone, country: String
    package let status: DeliveryStatus
    /// The first name of whoever carries or carried it.
    package let courier: String?
    package let street: String
    package let location: Location?
    package let due: Timestamp?
    package let times: Times
    package let attempt: (at: Timestamp, reason: FailReason)?
    package let pin: String?
    /// What is to be paid at the door.
    package let cash: Money?
    package let receivedBy: String?
    package let wishesLeft: Int
    /// What its recipient wished last.
    package let wish: (text: String, at: Timestamp)?
    package let stars: Int?
    /// How many stops its courier makes before this one, as far as that is told: none, or one. Known from picking up on.
    package let stopsBefore: Int?
    /// When it will arrive, and where its courier is, while that may be told.
    package let arrival: Arrival?
    package let position: (at: Timestamp, place: Location)?
    let isEnded, isForgotten, isHidden: Bool
    /// Whether its courier has been nearby with it, be it on its way to somebody else.
    fileprivate let wasNearby: Bool

    package struct Times: Sendable {
        package let pickedUp, delivered, cancelled: Timestamp?
    }

    /// For how long after the end it is shown, and may be rated.
    static let shownFor: Int64 = 48 * 3_600_000_000

    /// Until when it is shown; nil while it goes on.
    package var expires: Timestamp? {
        (times.delivered ?? times.cancelled).map { Timestamp(microseconds: $0.microseconds + Self.shownFor) }
    }

    /// Whether there is still something to show.
    var isShown: Bool {
        !isEnded && !isForgotten && !(isHidden && status == .pending) && expires.map { $0 > .now } ?? true
    }

    /// Whether the time is over by which it was wanted.
    package var isLate: Bool { status.isOpen && due.map { $0 < .now } ?? false }

    /// Whether its courier comes to its recipient next, and is nearly there.
    var isNearby: Bool {
        let isFar = location.flatMap { position?.place.meters(to: $0) }.map { $0 > 2 * Fix.nearby } ?? false
        return wasNearby && stopsBefore == 0 && !isFar
    }

    /// Whether its recipient has answered what went wrong at the door.
    package var isAnswered: Bool { attempt.flatMap { attempt in wish.map { $0.at > attempt.at } } ?? false }

    /// Whether its recipient may wish something now.
    package var mayWish: Bool { status.isCarried && wishesLeft > 0 }

    /// Whether its recipient may say what it was like.
    package var mayRate: Bool { status == .delivered && stars == nil }

    /// How it stands, for its recipient.
    package enum State: String, CaseIterable, Sendable {
        case waiting, accepted
        case onTheWay = "on_the_way"
        case attemptFailed = "attempt_failed"
        case delivered, cancelled
    }

    package var state: State {
        switch status {
        case .pending: .waiting
        case .inProgress: attempt != nil ? .attemptFailed : times.pickedUp != nil ? .onTheWay : .accepted
        case .delivered: .delivered
        case .cancelled: .cancelled
        }
    }
}

/// Finds what a link shows, for whoever has its token.
struct FindTracked: Statement {
    static let sql = """
        SELECT d.id, d.store_id, s.name, s.phone, s.country, d.status, c.first_name, d.recipient_address, d.recipient_lat,
            d.recipient_lon, d.due_at, d.picked_up_at, d.delivered_at, d.cancelled_at,
            CASE WHEN x.attempted_at > d.accepted_at AND d.status = 'in_progress' THEN x.attempted_at END, x.attempt_reason,
            CASE WHEN d.status >= 'in_progress' THEN x.pin END,
            x.cash_amount, x.cash_currency,
            CASE WHEN d.status = 'delivered' THEN (
                SELECT received_by FROM delivery_history h WHERE h.delivery_id = d.id AND h.action = 'deliver'
                ORDER BY seq DESC LIMIT 1) END,
            \(Bounds.wishes) - coalesce(jsonb_array_length(x.wishes), 0), x.wishes->-1->>'text',
            (x.wishes->-1->>'at')::timestamptz, x.stars::integer, stop.before, t.ended,
            d.recipient_first_name = '' OR \(SeeingSQL.isPast), s.off, p.at, p.lat, p.lon,
            EXISTS (SELECT FROM nearby_told n WHERE n.delivery_id = d.id AND n.carry = d.accepted_at), \(Arrival.column)
        FROM trackings t JOIN deliveries d ON d.id = t.delivery_id JOIN stores s ON s.id = d.store_id
            LEFT JOIN couriers c ON c.id = d.courier_id AND d.status IN ('in_progress', 'delivered')
            LEFT JOIN delivery_extras x ON x.delivery_id = d.id
            LEFT JOIN LATERAL (\(Self.stop)) stop ON true
            LEFT JOIN LATERAL (
                SELECT at, lat, lon FROM positions WHERE courier_id = d.courier_id AND stop.before < \(Self.mostBefore)
                    AND at >= now() - interval '\(Fix.freshness) seconds' OFFSET 0) p ON true
        WHERE t.token_hash = $1
        """
    static let isReadOnly = true

    /// Of so many stops before it nothing is told.
    fileprivate static let mostBefore = 2

    /// After how many other stops it is brought, of which no more are counted than matter. Lists are read backwards.
    private static let stop = """
        SELECT (
            SELECT count(*) FROM (
                SELECT FROM jobs other WHERE other.courier_id = mine.courier_id AND other.status = mine.status
                    AND (other.place, other.delivery_id) > (mine.place, mine.delivery_id) LIMIT \(mostBefore)) before) AS before
        FROM jobs mine
        WHERE d.status = 'in_progress' AND d.picked_up_at IS NOT NULL AND mine.courier_id = d.courier_id
            AND mine.status = 'in_progress' AND mine.delivery_id = d.id OFFSET 0
        """
    let hash: [UInt8]

    func bind(into parameters: inout Parameters) { parameters.add(Bytes(hash)) }

    static func decode(_ row: inout RowReader) throws -> TrackedDelivery { try TrackedDelivery(&row) }
}

extension TrackedDelivery {
    fileprivate init(_ row: inout RowReader) throws {
        (id, store) = (try row.read(), try row.read())
        (storeName, storePhone, country) = (try row.read(), try row.read(), try row.read())
        (status, courier) = (try row.read(), (try row.read() as String?).flatMap { $0.isEmpty ? nil : $0 })
        street = Street.of(try row.read())
        location = try Location.read(&row)
        due = try row.read()
        times = Times(pickedUp: try row.read(), delivered: try row.read(), cancelled: try row.read())
        let (attempted, reason): (Timestamp?, String?) = (try row.read(), try row.read())
        attempt = attempted.map { ($0, reason.flatMap(FailReason.init) ?? .other) }
        pin = try row.read()
        let (amount, currency): (Int64?, String?) = (try row.read(), try row.read())
        cash = try amount.flatMap { amount in try currency.map { try Money(amount, $0) } }
        receivedBy = try row.read()
        wishesLeft = Int(try row.read() as Int32)
        let (wish, wished): (String?, Timestamp?) = (try row.read(), try row.read())
        self.wish = wish.flatMap { wish in wished.map { (wish, $0) } }
        stars = (try row.read() as Int32?).map(Int.init)
        let before: Int64? = try row.read()
        stopsBefore = before.flatMap { $0 < FindTracked.mostBefore ? Int($0) : nil }
        (isEnded, isForgotten, isHidden) = (try row.read(), try row.read(), try row.read())
        let at: Timestamp? = try row.read()
        let place = try Location.read(&row)
        if let at, let place { position = (at, place) } else { position = nil }
        wasNearby = try row.read()
        arrival = try Arrival.read(&row)
    }
}
