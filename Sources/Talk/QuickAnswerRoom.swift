import API
import Domain
import HTTP
import Postgres

/// What an account answers often.
package struct QuickAnswerRoom: Room {
    package init() {}

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/quick_answers", for: .signedIn,
                "What one answers often; null where one has said nothing, and pages suggest something",
                room: TalkRoom.name, answers: [.ok(Self.shape)]
            ) { call in
                Self.answer(try await call.run(FindQuickAnswers(account: call.caller.account)).first)
            },
            Endpoint(
                .put, "/v1/me/quick_answers", for: .signedIn, "Says what one answers often, in that order",
                room: TalkRoom.name, takes: QuickAnswers.self, answers: [.ok(Self.shape)]
            ) { call, form in
                let keep = KeepQuickAnswers(account: call.caller.account, texts: form.texts)
                guard try await call.run(keep).first == true else { throw Problem.unauthenticated }
                return Self.answer(form.texts)
            },
        ]
    }

    private static let shape = Shape.object(
        "QuickAnswerTexts", [.init("texts", Shape.array(.string(), most: Bounds.quickAnswers).orNull)])

    private static func answer(_ texts: [String]?) -> Response {
        var json = JSONWriter()
        json.object { json in
            guard let texts else { return json.field("texts", String?.none) }
            json.raw("texts", JSON.array(texts.map(JSON.string)).bytes)
        }
        return .json(json.bytes)
    }
}

/// What an account answers often, if it has said so.
struct FindQuickAnswers: Statement {
    static let sql = "SELECT texts FROM quick_answers WHERE account_id = $1"
    static let isReadOnly = true
    let account: ID

    func bind(into parameters: inout Parameters) { parameters.add(account) }

    static func decode(_ row: inout RowReader) throws -> [String] { try row.read() }
}

/// Keeps what an account answers often, or forgets it; false if the account is being erased.
struct KeepQuickAnswers: Statement {
    static let sql = """
        WITH held AS MATERIALIZED (
            SELECT id FROM accounts WHERE id = $1 AND password_hash <> '$scrypt$erased' FOR NO KEY UPDATE),
        forgotten AS (DELETE FROM quick_answers WHERE $2::text[] IS NULL AND account_id = $1),
        kept AS (
            INSERT INTO quick_answers (account_id, texts) SELECT id, $2 FROM held WHERE $2::text[] IS NOT NULL
            ON CONFLICT (account_id) DO UPDATE SET texts = EXCLUDED.texts)
        SELECT EXISTS (SELECT FROM held)
        """
    let account: ID
    let texts: [String]?

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(texts)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
