import Crypto
import Domain
import HTTP
import Postgres

/// Answers a repeated request with its first answer.
///
/// The answer is kept in the transaction that does what the request asks for, so there is never one without the other.
struct Idempotency: Sendable {
    private let database: Database
    private let key: SealingKey
    private let hashing: [UInt8]
    private let words: ProblemWords
    private let notes: SecurityNotes

    init(_ database: Database, secret: ServerSecret, words: ProblemWords, notes: SecurityNotes) {
        self.notes = notes
        self.database = database
        key = SealingKey(secret.key(for: "idempotency"))
        hashing = secret.key(for: "confidential requests")
        self.words = words
    }

    /// The key that came with the request, if one did.
    static func key(of request: Request) throws -> String? {
        guard let key = try request.onlyHeader("idempotency-key") else { return nil }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw Problem(.badRequest, "bad_request", wording: "bad_idempotency_key")
        }
        return key
    }

    /// `keepsItself` says that the handler's own commit keeps the answer, and `isConfidential` that nobody may guess from what is kept
    /// what was asked for. `admit` is asked before the handler, unless
    /// there is an answer already; what it does is not rolled back with what the handler did.
    func answer(
        _ request: Request, key: String, by caller: Caller, keepsItself: Bool, isConfidential: Bool,
        admit: (Call) async throws -> Void, handler: @escaping @Sendable (Call) async throws -> Response
    ) async throws -> Response {
        let attempt = Attempt(
            account: caller.account, key: key, whole: fingerprint(of: request, isConfidential),
            streamed: request.pieces.map(HashedBody.init))
        do {
            if let first = try await firstAnswer(to: attempt, .database(database)) { return first }
            try await admit(Call(request, by: caller, runner: .database(database), notes: notes))
            guard keepsItself else { return try await answerInTransaction(request, attempt, by: caller, handler) }
            return try await answerWithRecorder(request, attempt, by: caller, handler)
        } catch let refusal as Problem where refusal.isFinal {
            // What the handler did is rolled back, so only the answer is kept.
            let answer = refusal.response(
                requestID: request.id, language: caller.language.rawValue, words: words)
            return try await keepAlone(answer, for: attempt)
        } catch let refusal as Problem where [.preconditionFailed, .unprocessable].contains(refusal.status) {
            // Perhaps a twin was faster, and this one met what that had done.
            if let first = try await firstAnswer(to: attempt, .database(database)) { return first }
            throw refusal
        }
    }

    private func answerInTransaction(
        _ request: Request, _ attempt: Attempt, by caller: Caller,
        _ handler: @escaping @Sendable (Call) async throws -> Response
    ) async throws -> Response {
        try await database.transaction { transaction in
            guard try await transaction.run(LockIdempotencyKey(attempt: attempt)).first == true else {
                throw Problem.requestInProgress
            }
            if let first = try await firstAnswer(to: attempt, .transaction(transaction)) { return first }
            let answer = try await handler(
                Call(request, by: caller, runner: .transaction(transaction), notes: notes))
            try await transaction.run(keep(answer, for: attempt))
            return answer
        }
    }

    /// Runs the handler without a transaction. The key is unique, so only one of two twins can commit.
    private func answerWithRecorder(
        _ request: Request, _ attempt: Attempt, by caller: Caller,
        _ handler: @escaping @Sendable (Call) async throws -> Response
    ) async throws -> Response {
        let recorder = Recorder(key: attempt.key, body: attempt.streamed) { keep($0, for: attempt) }
        do {
            let answer = try await handler(
                Call(request, by: caller, runner: .database(database), recorder: recorder, notes: notes))
            return recorder.isKept ? answer : try await keepAlone(answer, for: attempt)
        } catch is KeyTaken {
            if let first = try await firstAnswer(to: attempt, .database(database)) { return first }
            // The key is older than a day, and nobody has cleared it away yet.
            try await database.run(ForgetFirstAnswer(attempt: attempt))
            throw Problem.requestInProgress
        }
    }

    /// Keeps an answer that came without an effect. If a twin was faster, its answer is the first.
    private func keepAlone(_ answer: Response, for attempt: Attempt) async throws -> Response {
        try await attempt.streamed?.readToEnd()
        guard try await database.run(keep(answer, for: attempt)).isEmpty else { return answer }
        return try await firstAnswer(to: attempt, .database(database)) ?? answer
    }

    private func firstAnswer(to attempt: Attempt, _ runner: Runner) async throws -> Response? {
        guard let kept = try await runner.run(FindFirstAnswer(attempt: attempt)).first else { return nil }
        try await attempt.streamed?.readToEnd()
        guard kept.fingerprint == attempt.fingerprint, let body = self.key.open(kept.body, for: attempt.context) else {
            throw Problem.keyReused
        }
        return kept.response(body: body)
    }

    private func keep(_ answer: Response, for attempt: Attempt) -> KeepFirstAnswer {
        var (bytes, headers): ([UInt8], [String]) = ([], [])
        if case .bytes(let body, let type) = answer.body {
            bytes = body
            headers = ["Content-Type", type]
        }
        headers += answer.headers.flatMap { [$0.name, $0.value] }
        return KeepFirstAnswer(
            attempt: attempt, status: Int16(answer.status.code), headers: headers,
            body: key.seal(bytes, for: attempt.context))
    }

    /// The same for the same request, but for a body that comes in pieces, which is not there yet.
    private func fingerprint(of request: Request, _ isConfidential: Bool) -> [UInt8] {
        let text = Array("\(request.method) \(request.path)\n".utf8) + request.body
        return isConfidential ? HMAC.sha256(key: hashing, text) : SHA256.hash(text)
    }
}

/// A body that comes in pieces, with the hash of them all. Unchecked, because all of it happens on the loop of the request.
final class HashedBody: @unchecked Sendable {
    private let pieces: BodyReader
    private let running = RunningSHA256()
    private(set) lazy var hash = running.finish()

    init(_ pieces: BodyReader) { self.pieces = pieces }

    func next() async throws -> [UInt8]? {
        guard let piece = try await pieces.next() else { return nil }
        running.add(piece)
        return piece
    }

    /// Reads what nobody has asked for.
    func readToEnd() async throws { while try await next() != nil {} }
}

/// Makes the record of an answer for the commit that has the effect, and learns whether it was committed.
/// Unchecked, because all of it happens on the loop of the request.
final class Recorder: @unchecked Sendable {
    let key: String
    /// The request's body, if it comes in pieces.
    let body: HashedBody?
    let record: (Response) -> KeepFirstAnswer
    var isKept = false

    init(key: String, body: HashedBody?, _ record: @escaping (Response) -> KeepFirstAnswer) {
        (self.key, self.body, self.record) = (key, body, record)
    }
}

/// Another request with the same key was faster: what this one asks for was not done again.
package struct KeyTaken: Error {
    package init() {}
}

/// A request by its key.
package struct Attempt: Sendable {
    let account: ID
    package let key: String
    let whole: [UInt8]
    let streamed: HashedBody?

    /// The same for the same request. Of a body that comes in pieces it is known once that was read to its end.
    package var fingerprint: [UInt8] { streamed.map { SHA256.hash(whole + $0.hash) } ?? whole }

    /// The context that the kept answer is sealed for.
    var context: [UInt8] { Array("\(account) \(key)".utf8) }
}

/// The first answer, as it was kept.
struct KeptAnswer: Sendable {
    let fingerprint: [UInt8]
    let status: Int
    let headers: [String]
    let body: [UInt8]

    func response(body: [UInt8]) -> Response {
        var pairs = stride(from: 0, to: headers.count - 1, by: 2).map { Response.Header(headers[$0], headers[$0 + 1]) }
        pairs.append(Response.isReplayed)
        guard pairs[0].name == "Content-Type" else { return Response(Status(status), headers: pairs) }
        return Response(Status(status), headers: Array(pairs.dropFirst()), body: .bytes(body, type: pairs[0].value))
    }
}

extension Response {
    private static let replayed = "Idempotent-Replayed"

    /// Says that it is the answer of before.
    fileprivate static let isReplayed = Header(replayed, "true")

    /// What it tells, if that is the success of before told once more.
    var toldBefore: JSON? {
        guard status.code < 300, headers.contains(where: { $0.name == Self.replayed }) else { return nil }
        guard case .bytes(let bytes, _) = body else { return .null }
        return JSON(bytes) ?? .null
    }
}

extension JSON {
    /// The id of what an answer told of.
    package var toldID: ID? {
        guard case .object(let members) = self, case .string(let text)? = members["id"] else { return nil }
        return ID(text)
    }

    /// The ids of all that it has with a name.
    var named: [ID] {
        switch self {
        case .object(let members):
            let isNamed = ["name", "first_name"].contains { members[$0] != nil }
            return (isNamed ? [toldID].compactMap(\.self) : []) + members.values.flatMap(\.named)
        case .array(let items): return items.flatMap(\.named)
        default: return []
        }
    }
}

extension Problem {
    package static let keyReused = Problem(.unprocessable, "idempotency_key_reused")

    /// Whether it tells the state of things, or has used up a try, so that the same request gets the same answer again.
    fileprivate var isFinal: Bool {
        usesUpTry || [.forbidden, .notFound, .conflict, .gone].contains(status) && code != "request_in_progress"
    }
}
