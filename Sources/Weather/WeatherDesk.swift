import API
import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Knows the weather: from the database, and once a minute at most from the source.
///
/// A row says who asks for a field, so that of all nodes one does, however many want to know. The others wait until it has been
/// answered; if whoever asks dies, they go by what was known.
package final class WeatherDesk: Sendable {
    /// How often those look for whom another node asks.
    private static let pause = Duration.milliseconds(50)
    /// How many fields are looked for at once for those who do not wait.
    private static let mostAhead = 64

    let source: WeatherSource
    private let database: Database
    private let throttle: Throttle
    private let failed: @Sendable (any Error) -> Void
    private let looking = Locked<[WeatherField: Task<KeptForecast?, any Error>]>([:])
    private let isRefused = Locked(false)

    /// `failed` is told of what goes wrong where nobody waits for it.
    package init(
        _ source: WeatherSource, _ database: Database, throttle: Throttle,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        (self.source, self.database, self.throttle, self.failed) = (source, database, throttle, failed)
    }

    /// A field's weather, of a minute ago at most if the source tells it; nil if nobody has known it for six hours. What the source is
    /// asked is counted for the account: one that has asked for much is told what is known, or to wait.
    func weather(in field: WeatherField, for account: ID) async throws -> KeptForecast? {
        let (looking, isOwn) = look(for: field, by: account)
        do {
            return try await looking.value
        } catch let problem as Problem where problem.status == .tooManyRequests && !isOwn {
            return try await weather(in: field, for: account)
        }
    }

    /// What is known, without asking anybody. If that is not of this hour, it is asked for, and known to whoever comes next.
    func known(in field: WeatherField) async throws -> KeptForecast? {
        let known = try await database.run(FindWeather(field: field)).first?.forecast
        let isOfThisHour = known.map { Timestamp.now.microseconds - $0.fetchedAt.microseconds < 3_600_000_000 }
        if isOfThisHour != true { expect(field) }
        return known
    }

    /// Has a field's weather be known soon, if there is room for that.
    func expect(_ field: WeatherField) {
        guard looking.withLock({ $0.count < Self.mostAhead }) else { return }
        let (task, isOwn) = look(for: field)
        // Whoever has begun hears of what goes wrong.
        guard isOwn else { return }
        Task { [failed] in
            do { _ = try await task.value } catch { failed(error) }
        }
    }

    /// One look for all on this node who want to know. Whose it is who begins it is counted; nobody's are those for deliveries.
    private func look(
        for field: WeatherField, by account: ID? = nil
    ) -> (task: Task<KeptForecast?, any Error>, isOwn: Bool) {
        guard let loop = EventLoop.current else { preconditionFailure("the weather is asked for on the loops") }
        return looking.withLock { looking in
            if let task = looking[field] { return (task, false) }
            let task = Task(executorPreference: loop) { [self] in
                defer { _ = self.looking.withLock { $0.removeValue(forKey: field) } }
                return try await find(field, for: account, on: loop)
            }
            looking[field] = task
            return (task, true)
        }
    }

    private func find(_ field: WeatherField, for account: ID?, on loop: EventLoop) async throws -> KeptForecast? {
        let known = try await database.run(FindWeather(field: field)).first
        if known?.isRecent != true {
            if let account, let seconds = try await throttle.wait(for: [Self.questions(of: account)]) {
                if let forecast = known?.forecast { return forecast }
                throw Problem.rateLimited(retryAfterSeconds: seconds)
            }
            if try await database.run(ClaimWeather(field: field)).first != nil { try await ask(field) }
        }
        while let known = try await database.run(FindWeather(field: field)).first {
            if known.isAnswered { return known.forecast }
            try await loop.sleep(for: Self.pause)
        }
        return nil
    }

    /// What sources are asked is paid for, or little: some places at once, and one that is looked at all the time.
    private static func questions(of account: ID) -> Throttle.Bucket {
        Throttle.Bucket("weather asked by", account.description, burst: 30, step: .seconds(60))
    }

    private func ask(_ field: WeatherField) async throws {
        guard let forecast = await source.forecast(at: field.middle, now: .now) else {
            _ = try await database.run(NoteNoWeather(field: field))
            return
        }
        do {
            _ = try await database.run(KeepWeather(field: field, source: source.name, forecast: forecast))
            isRefused.withLock { $0 = false }
        } catch let error as PostgresError {
            guard case .refused = error else { throw error }
            // Such a time zone there is not, which is told once.
            if !isRefused.withLock({ wasRefused in (wasRefused, wasRefused = true).0 }) { failed(error) }
            _ = try await database.run(NoteNoWeather(field: field))
        }
    }
}
