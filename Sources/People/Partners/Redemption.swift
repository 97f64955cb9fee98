import Feed
import API
import Outbox
import Domain
import HTTP
import Postgres

/// Redeems invites, which is the only way in which a partnership begins.
package struct Redemption: Sendable {
    let codes: InviteCodes

    package init(codes: InviteCodes) {
        self.codes = codes
    }

    /// Makes the courier a partner of the store that sent the invite, or says why not.
    func redeem(_ text: String, by courier: ID, _ runner: Runner) async throws -> Partner {
        guard let code = InviteCode(text) else { throw Problem.unknownCode }
        let find = FindInviteByCode(codeHash: codes.hash(code), courier: courier)
        return try await redeem(by: courier, runner) {
            guard let found = try await runner.run(find).first else { throw Problem.unknownCode }
            return found
        }
    }

    /// The same for an invite that is bound to the courier, or to the number that it has proven, which stands for the code.
    func accept(_ invite: ID, by courier: ID, _ runner: Runner) async throws -> Partner {
        try await redeem(by: courier, runner) {
            guard let found = try await runner.run(FindInviteByID(invite: invite, courier: courier)).first,
                found.isTheirs
            else { throw Problem.notFound }
            guard found.isProven else { throw Problem.phoneUnverified }
            return found
        }
    }

    private func redeem(
        by courier: ID, _ runner: Runner, _ find: () async throws -> FoundInvite
    ) async throws -> Partner {
        // If another request came between, the new state says why this one fails.
        for _ in 0..<3 {
            let found = try await find()
            if let refusal = found.refusal { throw refusal }
            let message = Message(
                .partnerJoined, ["courier": found.courierName],
                data: ["courier_id": .string(courier.description), "courier_name": .string(found.courierName)])
            let redeeming = RedeemInvite(invite: found.invite, courier: courier, message: message)
            if let since = try await refusingSecond({ try await runner.run(redeeming).first }) {
                return Partner(store: found.store, since: since)
            }
        }
        throw Problem.unavailable()
    }

    /// Redeeming two invites of one store at once still makes only one partnership.
    private func refusingSecond(_ body: () async throws -> Timestamp?) async throws -> Timestamp? {
        do {
            return try await body()
        } catch PostgresError.refused(let error) where error.constraint == Problem.alreadyPartner.code {
            throw Problem.alreadyPartner
        }
    }
}

extension Problem {
    static let unknownCode = Problem(.notFound, "unknown_code")
    static let codeExpired = Problem(.gone, "code_expired")
    static let codeRevoked = Problem(.gone, "code_revoked")
    static let codeNotYours = Problem(.forbidden, "code_not_yours")

    static let phoneUnverified = Problem(.forbidden, "phone_unverified")

    /// The problems that an invite may have, and those that a code may have.
    static let redeemingAny = [codeExpired, codeUsed, codeRevoked, alreadyPartner]
    static let redeeming = [unknownCode, codeNotYours] + redeemingAny
}

/// An invite as it concerns a courier who has its code.
struct FoundInvite: Sendable {
    let invite: ID
    let store: PartnerStore
    let state: String
    let isOver: Bool
    let isTheirs: Bool
    let isProven: Bool
    let wasRedeemedByThem: Bool
    let isPartner: Bool
    let courierName: String

    /// Why the courier cannot redeem it.
    var refusal: Problem? {
        if wasRedeemedByThem && isPartner { return .alreadyPartner }
        guard isTheirs else { return .codeNotYours }
        switch state {
        case "redeemed": return .codeUsed
        case "revoked": return .codeRevoked
        case "open" where !isOver: return isPartner ? .alreadyPartner : nil
        default: return .codeExpired
        }
    }
}

extension FoundInvite {
    /// What is found of an invite `i` for the courier `$2`.
    fileprivate static let sql = """
        SELECT i.id, CASE WHEN s.off AND i.state = 'open' THEN 'revoked' ELSE i.state END, i.expires_at <= now(), coalesce(i.courier_id = c.id, i.phone = c.phone, false),
            i.courier_id IS NOT NULL OR c.phone_verified, i.redeemed_by IS NOT DISTINCT FROM c.id, p.store_id IS NOT NULL, c.first_name || ' ' || c.last_name,
            s.id, s.name, s.address, s.phone
        FROM invites i JOIN stores s ON s.id = i.store_id JOIN couriers c ON c.id = $2
        LEFT JOIN partners p ON p.store_id = i.store_id AND p.courier_id = c.id
        """

    fileprivate init(_ row: inout RowReader) throws {
        (invite, state, isOver) = (try row.read(), try row.read(), try row.read())
        (isTheirs, isProven) = (try row.read(), try row.read())
        (wasRedeemedByThem, isPartner, courierName) = (try row.read(), try row.read(), try row.read())
        store = try PartnerStore(&row)
    }
}

/// The invite with that code.
struct FindInviteByCode: Statement {
    static let sql = FoundInvite.sql + " WHERE i.code_hash = $1"
    static let isReadOnly = true
    let codeHash: [UInt8]
    let courier: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(codeHash))
        parameters.add(courier)
    }

    static func decode(_ row: inout RowReader) throws -> FoundInvite { try FoundInvite(&row) }
}

/// The invite with that id.
struct FindInviteByID: Statement {
    static let sql = FoundInvite.sql + " WHERE i.id = $1"
    static let isReadOnly = true
    let invite: ID
    let courier: ID

    func bind(into parameters: inout Parameters) {
        parameters.add(invite)
        parameters.add(courier)
    }

    static func decode(_ row: inout RowReader) throws -> FoundInvite { try FoundInvite(&row) }
}

/// Uses up an open invite, makes the partnership and tells the store. There is no row if the invite is not open, or one of
/// the two is off: whoever takes somebody off waits for this, or is seen here.
struct RedeemInvite: Statement {
    static let sql = """
        WITH sender AS MATERIALIZED (
            SELECT s.id FROM stores s
            WHERE s.id = (SELECT store_id FROM invites WHERE id = $1) AND NOT s.off FOR KEY SHARE),
        receiver AS MATERIALIZED (SELECT id FROM couriers WHERE id = $2 AND NOT off FOR KEY SHARE),
        redeemed AS (
            UPDATE invites SET state = 'redeemed', redeemed_by = $2, redeemed_at = now()
            WHERE id = $1 AND state = 'open' AND expires_at > now() AND store_id = (SELECT id FROM sender)
                AND EXISTS (SELECT FROM receiver)
            RETURNING store_id),
        joined AS (
            INSERT INTO partners (store_id, courier_id) SELECT store_id, $2 FROM redeemed RETURNING store_id, since),
        published AS (
            \(Publish.sql("""
                SELECT ARRAY[store_id, $2], '{partner.joined,partner.joined}'::text[],
                    ($3->'data') - 'type' || jsonb_build_object('store_id', store_id)
                FROM joined
                """))),
        told AS (
            \(Tell.sql("SELECT jsonb_build_array($3 || jsonb_build_object('accounts', ARRAY[store_id], 'subject', $2)) AS notices FROM joined"))),
        untrue AS MATERIALIZED (
            SELECT withdraw('invite', ARRAY[$1]) + withdraw('partnership_ended', ARRAY[store_id], ARRAY[$2]) FROM redeemed)
        SELECT since FROM joined, untrue
        """
    let invite: ID
    let courier: ID
    let message: Message

    func bind(into parameters: inout Parameters) {
        parameters.add(invite)
        parameters.add(courier)
        parameters.add(message.parameter)
    }

    static func decode(_ row: inout RowReader) throws -> Timestamp { try row.read() }
}
