import Curl
import EventLoop
import HTTP

/// The thread's part: lets what waits begin, within each service's bounds, and gives the answers.
struct LookupDesk {
    private let inbox: Locked<Lookups.Inbox>
    private let transfers = Transfers<Lookups.Question>()
    private var lines: [String: Line] = [:]

    /// What is asked of one service.
    private struct Line {
        var waiting: ArraySlice<Lookups.Question> = []
        var underWay = 0
        /// When the next one may begin.
        var next = 0.0
    }

    init(_ inbox: Locked<Lookups.Inbox>) { self.inbox = inbox }

    /// Works until the inbox is closed.
    mutating func run() {
        inbox.withLock { $0.wake = transfers.waker }
        while let questions = take() {
            for question in questions { enter(question) }
            let now = MonotonicClock.seconds
            let soonest = lines.keys.map { begin($0, now) }.min() ?? .infinity
            let pause = min(max(soonest - now, 0), 60)
            for (question, reply) in transfers.wait(milliseconds: Int32((pause * 1000).rounded(.up))) {
                lines[question.service.name]?.underWay -= 1
                question.answer(question.service.read(reply))
            }
        }
        for question in transfers.tokens + lines.values.flatMap(\.waiting) { question.answer(.failure(.refused)) }
    }

    /// What is new; nil when it is over.
    private func take() -> [Lookups.Question]? {
        inbox.withLock { inbox in
            defer { inbox.questions = [] }
            guard inbox.isClosed else { return inbox.questions }
            inbox.wake = nil
            for question in inbox.questions { question.answer(.failure(.refused)) }
            return nil
        }
    }

    private mutating func enter(_ question: Lookups.Question) {
        let name = question.service.name
        guard lines[name, default: Line()].waiting.count < question.service.bounds.waiting else {
            return question.answer(.failure(.refused))
        }
        lines[name, default: Line()].waiting.append(question)
    }

    /// Lets begin what may, and gives up what is late; says when there will be something to do again.
    private mutating func begin(_ name: String, _ now: Double) -> Double {
        guard var line = lines[name] else { return .infinity }
        defer { lines[name] = line }
        while let first = line.waiting.first {
            guard first.end > now, first.isAwaited() else {
                line.waiting.removeFirst()
                first.answer(.failure(.refused))
                continue
            }
            guard line.underWay < first.service.bounds.atOnce, line.next <= now else { break }
            line.waiting.removeFirst()
            line.underWay += 1
            line.next = now + first.service.bounds.secondsBetween
            var transfer = first.transfer
            transfer.patience = max(1, Int((first.end - now) * 1000))
            transfers.begin(transfer, first)
        }
        let isFull = line.underWay >= (line.waiting.first?.service.bounds.atOnce ?? 0)
        let begins = isFull ? .infinity : line.next
        return line.waiting.isEmpty ? .infinity : min(begins, line.waiting.map(\.end).min() ?? .infinity)
    }
}
