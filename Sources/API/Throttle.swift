import Crypto
import HTTP
import Postgres

/// Slows down those who try too often, on all nodes together.
///
/// Every bucket allows a number of tries at once and regains one after each step.
package struct Throttle: Sendable {
    private let database: Database
    /// How many times the usual number of tries is let through; nil lets everything through.
    private let looseness: Double?

    /// `looseness` is 1 as a rule.
    package init(_ database: Database, looseness: Double?) {
        self.database = database
        self.looseness = looseness
    }

    /// Whether anything is slowed down at all.
    package var isOn: Bool { looseness != nil }

    /// Tries that are counted together, and how many of them are let through.
    package struct Bucket: Sendable {
        let subject: [UInt8]
        let burst: Double
        let step: Duration
        /// Whether each further try of who is to wait makes that longer.
        let grows: Bool

        /// `rule` names what is done, `subject` by or to whom.
        package init(_ rule: String, _ subject: String, burst: Int, step: Duration, grows: Bool = false) {
            // Hashed, because it may be somebody's number or e-mail address.
            self.subject = SHA256.hash("\(rule) \(subject)")
            self.burst = Double(burst)
            self.step = step
            self.grows = grows
        }
    }

    /// Takes one try from each bucket, or refuses with the time to wait.
    package func take(_ buckets: [Bucket]) async throws {
        if let seconds = try await wait(for: buckets) { throw Problem.rateLimited(retryAfterSeconds: seconds) }
    }

    /// Takes one try from each bucket, or says how many seconds to wait.
    package func wait(for buckets: [Bucket]) async throws -> Int? {
        guard let looseness, !buckets.isEmpty else { return nil }
        let statement = TakeFromBuckets(
            subjects: buckets.map(\.subject), steps: buckets.map { $0.step / .seconds(1) / looseness },
            bursts: buckets.map { $0.burst * looseness })
        var wait = try await database.run(statement).first ?? 0
        let growing = buckets.filter(\.grows)
        if wait > 0, !growing.isEmpty {
            let lengthen = LengthenWait(
                subjects: growing.map(\.subject), steps: growing.map { $0.step / .seconds(1) / looseness },
                bursts: growing.map { $0.burst * looseness })
            wait = max(wait, try await database.run(lengthen).first ?? 0)
        }
        return wait <= 0 ? nil : max(1, Int(wait.rounded(.up)))
    }

    /// Gives all tries back, because what was tried succeeded.
    package func clear(_ buckets: [Bucket]) async throws {
        guard looseness != nil else { return }
        try await database.run(ClearBuckets(subjects: buckets.map(\.subject)))
    }
}

extension IPAddress {
    /// What is counted from an address, and from the networks that it is in: who has a whole range of them is one subscriber. But
    /// neighbours may be strangers, as phones of one carrier are: so addresses of version 4, which nobody has many of, count alone, and
    /// each wider range of version 6 may have three times as much.
    package func buckets(_ rule: String, burst: Int, step: Duration) -> [Throttle.Bucket] {
        var (burst, step) = (burst, step)
        return neighbourhoods.prefix(isVersion4 ? 1 : .max).map {
            defer { (burst, step) = (burst * 3, step / 3) }
            return Throttle.Bucket(rule, $0, burst: burst, step: step)
        }
    }
}

/// The seconds to wait, 0 when every bucket had room.
struct TakeFromBuckets: Statement {
    static let sql = "SELECT throttle($1, $2, $3)"
    let subjects: [[UInt8]]
    let steps: [Double]
    let bursts: [Double]

    func bind(into parameters: inout Parameters) {
        parameters.add(subjects.map(Bytes.init))
        parameters.add(steps)
        parameters.add(bursts)
    }

    static func decode(_ row: inout RowReader) throws -> Double { try row.read() }
}

/// Has those who try again wait for longer, and gives for how many seconds.
struct LengthenWait: Statement {
    static let sql = "SELECT lengthen_wait($1, $2, $3)"
    let subjects: [[UInt8]]
    let steps: [Double]
    let bursts: [Double]

    func bind(into parameters: inout Parameters) {
        parameters.add(subjects.map(Bytes.init))
        parameters.add(steps)
        parameters.add(bursts)
    }

    static func decode(_ row: inout RowReader) throws -> Double { try row.read() }
}

struct ClearBuckets: Statement {
    static let sql = "DELETE FROM throttles WHERE subject = ANY ($1)"
    let subjects: [[UInt8]]

    func bind(into parameters: inout Parameters) {
        parameters.add(subjects.map(Bytes.init))
    }
}
