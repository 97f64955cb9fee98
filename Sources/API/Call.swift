import Domain
import HTTP
import Postgres

/// A request on its way through an endpoint, with its caller and its access to the database.
package struct Call: Sendable {
    /// The request.
    package let request: Request
    private let known: Caller?
    private let key: GatewayKey?
    /// Where the request's statements go.
    package let runner: Runner
    private let recorder: Recorder?
    let notes: SecurityNotes

    init(
        _ request: Request, by caller: Caller? = nil, key: GatewayKey? = nil, runner: Runner, recorder: Recorder? = nil,
        notes: SecurityNotes
    ) {
        self.notes = notes
        self.request = request
        known = caller
        self.key = key
        self.runner = runner
        self.recorder = recorder
    }

    /// The answer's record, to be committed with the effect, for repeated requests; nil for a request without a key.
    package func record(_ answer: Response) -> KeepFirstAnswer? { recorder?.record(answer) }

    /// The key under which that is kept, for endpoints that keep their answer themselves.
    package var idempotencyKey: String? { recorder?.key }

    /// Does something in a transaction that also keeps its answer. It is for endpoints that keep their answer themselves.
    package func keepingAnswer(_ body: @escaping @Sendable (Runner) async throws -> Response) async throws -> Response {
        let answer = try await runner.together { runner in
            let answer = try await body(runner)
            if let keep = record(answer), try await runner.run(keep).isEmpty { throw KeyTaken() }
            return answer
        }
        answerIsKept()
        return answer
    }

    /// Notes that the record is committed.
    package func answerIsKept() { recorder?.isKept = true }

    /// The account that asks. An endpoint for anyone has none.
    package var caller: Caller {
        guard let known else { preconditionFailure("an endpoint for anyone has no caller") }
        return known
    }

    /// The gateway that asks. Only endpoints for gateways have one.
    package var gateway: GatewayKey {
        guard let key else { preconditionFailure("an endpoint for others has no gateway") }
        return key
    }

    /// Runs a statement that belongs to the request.
    @discardableResult
    package func run<S: Statement>(_ statement: S) async throws -> [S.Row] { try await runner.run(statement) }

    /// The request's body as a form that is filled in now, or at a time that the request tells.
    package func form<F: Form>(as form: F.Type = F.self, at now: Moment = .now) throws -> F {
        try Fields.read(request, at: now)
    }

    /// The next bytes of a body that comes in pieces; nil at its end.
    package func nextPiece() async throws -> [UInt8]? {
        if let body = recorder?.body { return try await body.next() }
        return try await request.pieces?.next()
    }

    /// The page of a list that is asked for.
    package func page() throws -> Page { try Page(request) }
}

/// Where statements go: to the database directly, or into a transaction. After a failed statement a transaction can
/// only fail as a whole.
package enum Runner: Sendable {
    case database(Database)
    case transaction(Transaction)

    @discardableResult
    package func run<S: Statement>(_ statement: S) async throws -> [S.Row] {
        switch self {
        case .database(let database): try await database.run(statement)
        case .transaction(let transaction): try await transaction.run(statement)
        }
    }

    /// Runs the body in one transaction; if there is one already, as part of it.
    package func together<Answer: Sendable>(_ body: @escaping @Sendable (Runner) async throws -> Answer) async throws
        -> Answer
    {
        switch self {
        case .database(let database): try await database.transaction { try await body(.transaction($0)) }
        case .transaction: try await body(self)
        }
    }
}
