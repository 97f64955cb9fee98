import Curl
import EventLoop
import HTTP

/// One service far away: where it is, how much is asked of it at most, and whether it answers.
final class RemoteService: Sendable {
    /// What it is in logs and figures.
    let name: String
    let bounds: Bounds
    private let url: ServiceURL
    private let agent: String
    private let lookups: Lookups
    private let heard: @Sendable (ServiceEvent) -> Void
    private let told = Locked(Told())

    /// Whether it was told last that it fails, and when that was.
    private struct Told {
        var isFailing = false
        var failedAt = -Double.infinity
    }

    /// Seconds in which it is told once that it fails: it may answer one question and not another, time and again.
    private static let pause = 600.0

    /// How much is asked of it at most.
    struct Bounds: Sendable {
        /// How many questions are under way at once, and how many wait.
        var atOnce = 4
        var waiting = 32
        /// How many bytes an answer may have.
        var bytes = 262_144
        /// How long somebody waits for an answer.
        var seconds = 2.0
        /// How long after a question the next one begins at the earliest.
        var secondsBetween = 0.0
        /// HTTP's statuses that come with an answer.
        var statuses: Set<Int> = [200]
    }

    init(
        _ name: String, at url: ServiceURL, _ bounds: Bounds, through lookups: Lookups, as agent: String,
        heard: @escaping @Sendable (ServiceEvent) -> Void
    ) {
        (self.name, self.url, self.bounds, self.lookups) = (name, url, bounds, lookups)
        (self.agent, self.heard) = (agent, heard)
    }

    /// Asks by GET, and has `read` make something of the JSON, on the lookups' thread. It is nil if there is no good answer in time.
    func ask<Answer: Sendable>(
        _ path: String, read: @escaping @Sendable (JSON) throws -> Answer
    ) async -> Answer? {
        var transfer = Transfer(url.text + path, nil)
        transfer.headers = [("User-Agent", agent), ("Accept", "application/json")]
        (transfer.mostRead, transfer.failsWhenLonger) = (bounds.bytes, true)
        return try? await Slot.wait { [transfer] slot in
            let question = Lookups.Question(
                service: self, transfer: transfer, end: MonotonicClock.seconds + self.bounds.seconds
            ) { result in
                let answer = Result { try read(try result.get()) }
                self.note(answer)
                slot.finish(answer)
            } isAwaited: {
                slot.isAwaited
            }
            self.lookups.ask(question)
        }
    }

    /// What came, as JSON.
    func read(_ reply: Transfer.Reply) -> Result<JSON, LookupError> {
        if let error = reply.error { return .failure(.failed(error)) }
        guard bounds.statuses.contains(reply.status) else { return .failure(.failed("it answers \(reply.status)")) }
        guard let json = JSON(reply.body) else { return .failure(.failed("it does not answer in JSON")) }
        return .success(json)
    }

    /// Tells what became of a question, and once in a while that it fails, or answers again.
    private func note(_ answer: Result<some Any, any Error>) {
        var reason: String?
        if case .failure(let error) = answer {
            guard error as? LookupError != .refused else { return heard(ServiceEvent(name, .refused)) }
            reason = if case .failed(let text)? = error as? LookupError { text } else { "it answers something else" }
        }
        let isNews = told.withLock { [reason] told in
            let (fails, now) = (reason != nil, MonotonicClock.seconds)
            guard fails != told.isFailing, !fails || now - told.failedAt >= Self.pause else { return false }
            told = Told(isFailing: fails, failedAt: fails ? now : told.failedAt)
            return true
        }
        heard(ServiceEvent(name, reason.map { .failed($0) } ?? .answered, isNews: isNews))
    }
}

/// What became of a question to a service.
public struct ServiceEvent: Sendable {
    /// The service's name.
    public let service: String
    /// What became of it.
    public let outcome: Outcome
    /// Whether the service answered before and fails now, or the other way round.
    public let isNews: Bool

    /// What can become of a question.
    public enum Outcome: Sendable {
        case answered
        /// It was not asked, since enough others were.
        case refused
        case failed(String)
    }

    init(_ service: String, _ outcome: Outcome, isNews: Bool = false) {
        (self.service, self.outcome, self.isNews) = (service, outcome, isNews)
    }
}
