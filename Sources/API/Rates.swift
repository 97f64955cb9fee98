import Crypto
import Domain
import EventLoop
import HTTP
import Postgres

/// Counts what accounts do by the hour, on all nodes together.
///
/// A node counts the first few for itself. When there are more it charges them to the account's bucket in the database, and
/// takes a share from there that it gives out, a bigger one each time, and small ones again where little is left. So hardly
/// any request costs a statement, and no bound is passed by more than a fortieth for each other node.
package final class Rates: Sendable {
    private let database: Database
    private let rules: RateRules
    private let looseness: Double?
    private let counts = (0..<16).map { _ in Locked<[Key: Count]>([:]) }

    private struct Key: Hashable {
        let account: ID
        let rule: RateRules.Rule
    }

    private struct Count {
        /// What was counted here alone; it drains by itself. From when it is full on, everything is charged.
        var own = 0.0
        var ownAt = Instant.now
        /// How much of that is not charged yet.
        var uncharged = 0.0
        /// What is charged and not given out yet, until its time would have drained it anyway.
        var share = 0.0
        var shareEnds = Instant.now
        var lastShare = 1.0
    }

    /// `looseness` is 1 as a rule; nil lifts all rates.
    package init(_ database: Database, _ rules: RateRules, looseness: Double?) {
        (self.database, self.rules, self.looseness) = (database, rules, looseness)
    }

    /// Counts that the account does something so many times, or refuses it with the time to wait.
    package func take(_ rule: RateRules.Rule, _ number: Int = 1, for caller: Caller) async throws {
        guard let looseness, let usual = rules.bound(rule, of: caller.kind), number > 0 else { return }
        let bound = max(1, Double(usual) * looseness)
        let key = Key(account: caller.account, rule: rule)
        // What is more than all of it at once would never be let through.
        guard let missing = counted(key, min(Double(number), bound), of: bound) else { return }
        let bucket = SHA256.hash("rate \(rule.rawValue) \(caller.account)")
        let take = TakeShare(
            bucket: bucket, step: 3600 / bound, burst: bound, least: missing.least, wanted: missing.wanted)
        let granted = try await database.run(take).first ?? 0
        guard granted > 0 else {
            takeBack(key, missing.least - min(Double(number), bound))
            throw Problem.rateLimited(rule.rawValue, Int(bound), wait: -granted)
        }
        keep(key, granted - missing.least, lasting: .seconds(granted * 3600 / bound), of: granted)
    }

    /// Nil when it is counted here; otherwise how much must be charged at the least, and how much had better be.
    private func counted(_ key: Key, _ number: Double, of bound: Double) -> (least: Double, wanted: Double)? {
        let (part, now) = (bound / 40, Instant.now)
        return shard(key).withLock { counts in
            if counts.count >= 10_000 { counts.removeAll(keepingCapacity: true) }
            var count = counts[key] ?? Count()
            defer { counts[key] = count }
            if now < count.shareEnds, count.share >= number {
                count.share -= number
                return nil
            }
            count.own = max(0, count.own - Double(now.nanoseconds(since: count.ownAt)) / 3.6e12 * part)
            count.ownAt = now
            count.uncharged = min(count.uncharged, count.own)
            guard count.own + number > part else {
                count.own += number
                count.uncharged += number
                return nil
            }
            let least = min(bound, (count.uncharged + number).rounded(.up))
            if now >= count.shareEnds { count.lastShare = 1 }
            (count.own, count.uncharged) = (part, 0)
            return (least, max(least, min(2 * count.lastShare, part).rounded(.down)))
        }
    }

    /// What was not charged after all is still to be.
    private func takeBack(_ key: Key, _ uncharged: Double) {
        shard(key).withLock { $0[key]?.uncharged += uncharged }
    }

    private func keep(_ key: Key, _ rest: Double, lasting: Duration, of granted: Double) {
        shard(key).withLock { counts in
            var count = counts[key] ?? Count()
            let now = Instant.now
            count.share = (now < count.shareEnds ? count.share : 0) + rest
            count.shareEnds = now + lasting
            count.lastShare = granted
            counts[key] = count
        }
    }

    private func shard(_ key: Key) -> Locked<[Key: Count]> { counts[Int(key.account.low & 15)] }
}

/// Takes as many from a bucket as there is room for: the number, or the seconds to wait below zero.
struct TakeShare: Statement {
    static let sql = "SELECT take_share($1, $2, $3, $4, $5)"
    let bucket: [UInt8]
    let step, burst, least, wanted: Double

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(bucket))
        parameters.add(step)
        parameters.add(burst)
        parameters.add(least)
        parameters.add(wanted)
    }

    static func decode(_ row: inout RowReader) throws -> Double { try row.read() }
}

extension Problem {
    /// With the rule that was passed, as the draft of RateLimit's header fields has it.
    fileprivate static func rateLimited(_ rule: String, _ bound: Int, wait: Double) -> Problem {
        let seconds = max(1, Int(wait.rounded(.up)))
        return Problem(
            .tooManyRequests, "rate_limited", headers: rateLimit(rule, "q=\(bound);w=3600", seconds: seconds))
    }

    /// So many at once are allowed, and one more may be tried after a while.
    package static func tooManyAtOnce(_ rule: String, _ bound: Int, wording: String, seconds: Int) -> Problem {
        Problem(
            .tooManyRequests, "rate_limited", wording: wording,
            headers: rateLimit(rule, "q=\(bound);qu=\"concurrent-requests\"", seconds: seconds))
    }

    private static func rateLimit(_ rule: String, _ policy: String, seconds: Int) -> [Response.Header] {
        [
            Response.Header("Retry-After", String(seconds)),
            Response.Header("RateLimit-Policy", "\"\(rule)\";\(policy)"),
            Response.Header("RateLimit", "\"\(rule)\";r=0;t=\(seconds)"),
        ]
    }
}
