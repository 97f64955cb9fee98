import EventLoop

/// Answers that are kept for a while, so that nobody is asked the same twice. Of too many the oldest are forgotten.
final class Kept<Answer: Sendable>: Sendable {
    private struct Entry {
        let answer: Answer
        let until: Instant
    }

    /// New ones come to the first half. When that is full, it takes the place of the second, which is forgotten.
    private let halves = Locked<(new: [String: Entry], old: [String: Entry])>(([:], [:]))
    private let lifetime: Duration
    private let most: Int

    init(for lifetime: Duration, most: Int) {
        (self.lifetime, self.most) = (lifetime, most)
    }

    func answer(to question: String) -> Answer? {
        let found = halves.withLock { $0.new[question] ?? $0.old[question] }
        return found.flatMap { $0.until > .now ? $0.answer : nil }
    }

    func keep(_ answer: Answer, to question: String) {
        halves.withLock { halves in
            if halves.new.count >= most / 2 { halves = ([:], halves.new) }
            halves.new[question] = Entry(answer: answer, until: .now + lifetime)
        }
    }
}
