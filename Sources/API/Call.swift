import Domain
import HTTP
import Postgres

/// A request on its way through an endpoint: who asks, and the database as far as it is the request's.
package struct Call: Sendable {
    /// The request.
    package let request: Request
    private let known: Caller?
    private let key: GatewayKey?
    /// Where statements go that belong to the request.
    package let runner: Runner
    private let recorder: Recorder?

    init(
        _ request: Request, by caller: Caller? = nil, key: GatewayKey? = nil, runner: Runner, recorder: Recorder? = nil
    ) {
        self.request = request
        known = caller
        self.key = key
        self.runner = runner
        self.recorder = recorder
    }

    /// What is to be committed with the effect, so that this answer is given again; nil for a request without a key.
    package func record(_ answer: Response) -> KeepFirstAnswer? { recorder?.record(answer) }

    /// The record is committed.
    package func answerIsKept() { recorder?.isKept = true }

    /// Who asks; there is nobody at an endpoint for anyone.
    package var caller: Caller {
        guard let known else { preconditionFailure("an endpoint for anyone has no caller") }
        return known
    }

    /// The gateway that asks; there is none at an endpoint for others.
    package var gateway: GatewayKey {
        guard let key else { preconditionFailure("an endpoint for others has no gateway") }
        return key
    }

    /// Runs a statement that belongs to the request.
    @discardableResult
    package func run<S: Statement>(_ statement: S) async throws -> [S.Row] { try await runner.run(statement) }

    /// Which page of a list is asked for.
    package func page() throws -> Page { try Page(request) }
}

/// Where statements go: to the database at large, or into a transaction, in which one that failed leaves nothing but to
/// fail as a whole.
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

    /// Runs what must happen as a whole; within a transaction already, as part of it.
    package func together<Answer: Sendable>(_ body: @escaping @Sendable (Runner) async throws -> Answer) async throws
        -> Answer
    {
        switch self {
        case .database(let database): try await database.transaction { try await body(.transaction($0)) }
        case .transaction: try await body(self)
        }
    }
}
