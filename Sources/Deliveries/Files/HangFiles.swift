import API
import Domain
import HTTP
import Postgres

/// Pictures are hung on a step in its commit: those that the account has sent, each once. If that does not hold by then, the
/// step is refused.
enum HangFiles {
    /// Hangs them on a step that has `id`, `version` and `actor_id`, and what was shown as `shown`.
    static let call = """
        hang_files(
            ARRAY(SELECT (picture->>'id')::uuid FROM jsonb_array_elements(shown->'pictures') AS picture), actor_id, id, version)
        """
}

/// Those of some pictures that an account may hang on a delivery. What hangs there already is left to the commit: a request
/// that was sent twice finds its own picture there.
struct FindLooseFiles: Statement {
    static let sql = """
        SELECT id, encode(sha256, 'hex') FROM files 
        WHERE id = ANY ($1) AND account_id = $2 AND coalesce(delivery_id, conversation_id, profile_id, $3) = $3
        """
    static let isReadOnly = true
    let files: [ID]
    let account, delivery: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(files)
        parameters.add(account)
        parameters.add(delivery)
    }

    static func decode(_ row: inout RowReader) throws -> (id: ID, sha256: String) {
        (try row.read(), try row.read())
    }
}

extension Call {
    /// The pictures as they are to hang on a step of that delivery; refuses those that the caller cannot hang there.
    func pictures(_ files: ShownFiles, for delivery: ID) async throws -> [HungPicture] {
        guard !files.all.isEmpty else { return [] }
        let find = FindLooseFiles(files: files.all, account: caller.account, delivery: delivery)
        let loose = Dictionary(uniqueKeysWithValues: try await run(find).map { ($0.id, $0.sha256) })
        guard loose.count == files.all.count else { throw Problem.unknownFile }
        return files.all.compactMap { id in
            loose[id].map { HungPicture(id: id, sha256: $0, isSignature: id == files.signature) }
        }
    }
}
