import Curl
import Glibc
import HTTP
import Simulation

/// What kept a story from being told.
struct StoryError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A server as the people of a story reach it: patiently, and with their keys.
struct StoryServer {
    private let url: String
    private let transfers = Transfers<Void>()
    private(set) var requests = 0
    /// How many of them were sent again.
    private(set) var retries = 0

    init(_ url: String) { self.url = url }

    /// What is asked.
    struct Question {
        var method = "GET"
        let path: String
        var body: JSON?
        /// A picture, in place of a body.
        var picture: [UInt8]?
        var token: String?
        var headers: [(name: String, value: String)] = []
        var network = Act.Network.works
    }

    /// The answer. What was not read of it is nil.
    struct Answer {
        let status: Int
        let json: JSON?

        var code: String? { json?["code"]?.text }
        var items: [JSON] { json?.list("items") ?? [] }
    }

    /// How many seconds somebody waits for one answer, and goes on trying: for long, if there was ever an answer, since a
    /// busy server takes long to register people.
    private static let patience = 60
    private var stamina: Int { hasAnswered ? 180 : 10 }
    private var hasAnswered = false

    mutating func ask(_ question: Question) throws -> Answer {
        let began = time(nil)
        if question.network == .isBack { retries += 1 }
        var reply = send(question, question.network)
        while let pause = Self.pause(before: reply, question.network) {
            guard time(nil) < began + stamina else {
                throw StoryError(
                    "\(url) has not answered \(question.path) for \(stamina) seconds: \(reply.error ?? "\(reply.status)")"
                )
            }
            usleep(UInt32(pause * 1000))
            retries += 1
            // A network that broke works the next time.
            reply = send(question, question.network == .breaks ? .works : question.network)
        }
        return Answer(status: reply.status, json: JSON(reply.body))
    }

    /// After how many milliseconds to ask again; nil when there is an answer.
    private static func pause(before reply: Transfer.Reply, _ network: Act.Network) -> Int? {
        if [429, 503].contains(reply.status) { return (reply.retryAfter ?? 1) * 1000 }
        if network == .losesAnswer, reply.status > 0 { return nil }
        guard reply.error == nil else { return network == .breaks ? 0 : 200 }
        // Its own request is still under way.
        return JSON(reply.body)?["code"]?.text == "request_in_progress" ? 20 : nil
    }

    private mutating func send(_ question: Question, _ network: Act.Network) -> Transfer.Reply {
        let body = question.picture ?? question.body?.bytes
        var transfer = Transfer(url + question.path, body)
        transfer.method = body == nil ? nil : question.method
        transfer.mostRead = 4 << 20
        transfer.patience = Self.patience * 1000
        transfer.headers = question.headers
        if body != nil {
            transfer.headers.append(("Content-Type", question.picture == nil ? "application/json" : "image/png"))
        }
        if let token = question.token { transfer.headers.append(("Authorization", "Bearer \(token)")) }
        switch network {
        case .works, .isBack: break
        case .losesAnswer: transfer.mostRead = 0
        // It breaks before, while or after the server works.
        case .breaks: transfer.patience = 1 + requests % 4
        }
        requests += 1
        let reply = transfers.perform(transfer)
        hasAnswered = hasAnswered || reply.status > 0
        return reply
    }
}

extension JSON {
    /// The items of a list.
    func list(_ name: String) -> [JSON] {
        guard case .array(let items)? = self[name] else { return [] }
        return items
    }
}
