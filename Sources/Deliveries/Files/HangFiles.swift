import API
import Domain
import HTTP
import Postgres

/// Hangs pictures on a step: those that the account has sent, each once. If that does not hold when it is committed, nothing is.
package struct HangFiles: Statement {
    package static let sql = "SELECT hang_files($1, $2, $3, $4)"
    let files: [ID]
    let account, delivery: ID
    let step: Int32

    package func bind(into parameters: inout Parameters) {
        parameters.add(files)
        parameters.add(account)
        parameters.add(delivery)
        parameters.add(step)
    }

    /// The same as a part `hung` of a statement whose part `steps` has `id`, `version`, `actor_id`, and pictures as `files`.
    /// The statement must count its rows, or PostgreSQL leaves it out.
    package static func part(of steps: String) -> String {
        """
        hung AS MATERIALIZED (
            SELECT hang_files(files::uuid[], actor_id, id, version) FROM \(steps) WHERE files <> '{}')
        """
    }
}

/// Which of some pictures an account may hang on something.
struct FindLooseFiles: Statement {
    static let sql = "SELECT id FROM files WHERE id = ANY ($1) AND account_id = $2 AND delivery_id IS NULL"
    static let isReadOnly = true
    let files: [ID]
    let account: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(files)
        parameters.add(account)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

extension Call {
    /// Refuses pictures that the caller cannot hang on something. The commit asks again, since another request may be faster.
    func checkLoose(_ files: [ID]) async throws {
        guard !files.isEmpty else { return }
        let loose = try await run(FindLooseFiles(files: files, account: caller.account))
        guard Set(loose).isSuperset(of: files) else { throw Problem.unknownFile }
    }
}
