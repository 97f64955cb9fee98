import Curl
import EventLoop
import HTTP

/// Asks services far away for JSON, all of them from one thread.
///
/// Whoever waits for an answer holds nothing meanwhile but its place in the service's line. What has no place there is refused,
/// and what is not answered in time is given up, wherever it is by then.
public final class Lookups: Sendable {
    /// What is asked: by whose line, which transfer, and what to do with the answer, on the thread.
    struct Question: Sendable {
        let service: RemoteService
        let transfer: Transfer
        /// When nobody wants to know any more.
        let end: Double
        let answer: @Sendable (Result<JSON, LookupError>) -> Void
        /// Whether somebody still waits for it.
        let isAwaited: @Sendable () -> Bool
    }

    /// What comes to the thread.
    struct Inbox {
        var questions: [Question] = []
        var isClosed = false
        var wake: (@Sendable () -> Void)?
    }

    private let inbox = Locked(Inbox())
    private let thread: BlockingPool

    /// Starts the thread.
    public init() throws {
        thread = try BlockingPool(name: "lookups", threads: 1, waiting: 1)
        let inbox = inbox
        thread.submit {
            var desk = LookupDesk(inbox)
            desk.run()
        }
    }

    func ask(_ question: Question) {
        let isOpen = inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            inbox.questions.append(question)
            inbox.wake?()
            return true
        }
        if !isOpen { question.answer(.failure(.refused)) }
    }

    /// Gives up what is under way, and ends the thread. It waits for the thread.
    public func stop() {
        inbox.withLock { inbox in
            inbox.isClosed = true
            inbox.wake?()
        }
        thread.stop()
    }
}

/// Why there is no answer.
enum LookupError: Error, Equatable {
    /// There was no place in the service's line, or nobody asks any more.
    case refused
    case failed(String)
}
