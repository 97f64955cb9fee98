import API
import Domain
import EventLoop
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
    private let failed: @Sendable (any Error) -> Void
    private let looking = Locked<[WeatherField: Task<KeptForecast?, any Error>]>([:])
    private let isRefused = Locked(false)

    /// `failed` is told of what goes wrong where nobody waits for it.
    package init(_ source: WeatherSource, _ database: Database, failed: @escaping @Sendable (any Error) -> Void) {
        (self.source, self.database, self.failed) = (source, database, failed)
    }

    /// A field's weather, of a minute ago at most if the source tells it; nil if nobody has known it for six hours.
    func weather(in field: WeatherField) async throws -> KeptForecast? { try await look(for: field).value }

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
        let task = look(for: field)
        Task { [failed] in
            do { _ = try await task.value } catch { failed(error) }
        }
    }

    /// One look for all on this node who want to know.
    private func look(for field: WeatherField) -> Task<KeptForecast?, any Error> {
        guard let loop = EventLoop.current else { preconditionFailure("the weather is asked for on the loops") }
        return looking.withLock { looking in
            if let task = looking[field] { return task }
            let task = Task(executorPreference: loop) { [self] in
                defer { _ = self.looking.withLock { $0.removeValue(forKey: field) } }
                return try await find(field, on: loop)
            }
            looking[field] = task
            return task
        }
    }

    private func find(_ field: WeatherField, on loop: EventLoop) async throws -> KeptForecast? {
        let isRecent = try await database.run(FindWeather(field: field)).first?.isRecent ?? false
        if !isRecent, try await database.run(ClaimWeather(field: field)).first != nil { try await ask(field) }
        while let known = try await database.run(FindWeather(field: field)).first {
            if known.isAnswered { return known.forecast }
            try await loop.sleep(for: Self.pause)
        }
        return nil
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
