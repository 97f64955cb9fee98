import Postgres

/// A place in an account's feed: behind the event with that number, which was numbered at that time.
///
/// The time finds the place in any copy of the database. If a copy ends earlier, because a fail-over lost the last
/// seconds, the feed goes on with what was numbered later.
struct FeedPlace: Equatable, Sendable {
    let number: Int64
    let numberedAt: Timestamp

    static let beginning = FeedPlace(number: 0, numberedAt: Timestamp(microseconds: 0))

    init(number: Int64, numberedAt: Timestamp) {
        (self.number, self.numberedAt) = (number, numberedAt)
    }

    /// Reads what ``cursor`` wrote.
    init?(_ cursor: String) {
        guard let (number, milliseconds) = twoNumbers(in: cursor, by: "."), milliseconds <= Self.latest else {
            return nil
        }
        self.init(number: number, numberedAt: Timestamp(microseconds: milliseconds * 1000))
        guard self.cursor == cursor else { return nil }
    }

    var cursor: String { "\(String(number, radix: 36)).\(String(numberedAt.microseconds / 1000, radix: 36))" }

    /// The end of the year 9999. PostgreSQL need not be asked for later times.
    private static let latest: Int64 = 253_402_300_799_999
}

/// A cursor from before events had numbers: a transaction, and the event within it.
struct FormerCursor: Sendable {
    let transaction: Int64
    let event: Int64

    init?(_ cursor: String) {
        guard let numbers = twoNumbers(in: cursor, by: "-") else { return nil }
        (transaction, event) = numbers
    }
}

private func twoNumbers(in text: String, by separator: Character) -> (Int64, Int64)? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int64(parts[0], radix: 36), let second = Int64(parts[1], radix: 36),
        first >= 0, second >= 0
    else { return nil }
    return (first, second)
}
