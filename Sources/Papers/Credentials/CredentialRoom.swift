import API
import Domain
import HTTP
import People
import Postgres

/// The papers that a courier keeps.
package struct CredentialRoom: Room {
    private let vault: CredentialVault
    private let reader: PaperReader
    private let known: KnownPapers

    package init(_ vault: CredentialVault, _ reader: PaperReader, _ known: KnownPapers) {
        (self.vault, self.reader, self.known) = (vault, reader, known)
    }

    static let name = "Credentials"

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/credentials", for: .courier, "The papers that one keeps, the newest first",
                room: Self.name, query: Endpoint.Parameter.list + [Self.valid], answers: [.ok(Self.page)],
                handler: list),
            Endpoint(
                .post, "/v1/me/credentials", for: .courier,
                """
                Keeps a paper as it was scanned. What begins with HC1: is an EU Digital COVID Certificate; of anything else one \
                says what it is
                """,
                room: Self.name, takes: NewCredential.self,
                answers: [.created(ReadCredential.shape), .ok(ReadCredential.shape, "It is kept already.")],
                refuses: [.unreadableCode, .tooManyCredentials], keepsItsAnswer: true,
                throttledBy: {
                    [Throttle.Bucket("credential", $0.caller.account.description, burst: 60, step: .seconds(5))]
                }, stillSeen: isKept, handler: add
            ).confidential,
            Endpoint(
                .patch, "/v1/me/credentials/{id}", for: .courier,
                "Shares a paper with these stores, and with no others any more", room: Self.name,
                takes: SharedCredential.self, answers: [.ok(ReadCredential.shape)],
                refuses: [.notFound, .unreadableCode], handler: share),
            Endpoint(
                .delete, "/v1/me/credentials/{id}", for: .courier, "Forgets a paper", room: Self.name,
                answers: [.noContent], refuses: [.notFound], handler: delete),
        ]
    }

    private static let valid = Endpoint.Parameter(
        name: "valid", shape: .boolean, what: "true: only those that are valid now; false: only others.")
    private static let unreadable = Shape.Member("unreadable", .count)
    private static let page = Shape.page(of: ReadCredential.shape, with: [unreadable])

    private func list(_ call: Call) async throws -> Response {
        let (page, courier) = (try call.page(), call.caller.account)
        let isValid = try call.request.flag("valid")
        let after = try page.afterID()
        let now = Moment.now
        let read = try await reader.holding(for: courier) { place in
            let kept = try await call.run(ListCredentials(courier: courier))
            return try await reader.read(kept, in: place) { [vault, known] kept in
                Meaning(try vault.open(kept.sealed, of: courier, kept.id), known, at: now)
                    .map { ReadCredential(kept, $0) }
            }
        }
        let wanted = read.compactMap(\.self).filter { credential in
            (isValid == nil || (credential.state == .valid) == isValid) && after.map { credential.id < $0 } ?? true
        }
        return page.response(Array(wanted.prefix(Int(page.fetched))), key: { [$0.id.description] }) { json in
            json.field("unreadable", read.count { $0 == nil })
        } write: { json, credential in
            json.object(credential.write)
        }
    }

    private func add(_ call: Call, _ form: NewCredential) async throws -> Response {
        guard let credential = form.credential else { return try await find(call, form.raw) }
        let (id, courier) = (ID.new(), call.caller.account)
        // What does not decode is not kept.
        let understood = try await reader.read([credential], for: courier) { [known] in Meaning($0, known, at: .now) }[
            0]
        guard let understood else { throw Problem.unreadableCode }
        let addition = AddCredential(
            courier: courier, id: id, sameness: vault.sameness(of: credential.raw, courier),
            sealed: vault.seal(credential, of: courier, id))
        return try await call.keepingAnswer { runner in
            guard try await runner.run(HoldAccount(account: courier)).first != nil else {
                throw Problem.unauthenticated
            }
            guard let added = try await runner.run(addition).first ?? nil else { throw Problem.tooManyCredentials }
            guard let kept = try await runner.run(FindCredential(courier: courier, id: added)).first else {
                throw Problem.notFound
            }
            // The same code means the same; what the courier said of it the first time stays.
            let stated = try vault.open(kept.sealed, of: courier, added).stated
            let meaning = stated.map { Meaning.stated($0, at: .now) } ?? understood
            return ReadCredential(kept, meaning).response(added == id ? .created : .ok)
        }
    }

    /// A code of which nobody says what it is: the same one may be kept already, with what was said of it then.
    private func find(_ call: Call, _ raw: String) async throws -> Response {
        let courier = call.caller.account
        let find = FindSameCredential(courier: courier, sameness: vault.sameness(of: raw, courier))
        return try await call.keepingAnswer { runner in
            guard let kept = try await runner.run(find).first,
                let stated = try vault.open(kept.sealed, of: courier, kept.id).stated
            else { throw Problem.unreadableCode }
            return ReadCredential(kept, .stated(stated, at: .now)).response()
        }
    }

    private func share(_ call: Call, _ form: SharedCredential) async throws -> Response {
        let (id, courier): (ID, ID) = (try call.request.parameter("id"), call.caller.account)
        let (find, share) = (
            FindCredential(courier: courier, id: id), ShareCredential(courier: courier, id: id, stores: form.stores)
        )
        guard let before = try await call.run(find).first else { throw Problem.notFound }
        // What cannot be read is not shared: its answer could not say what is.
        let meaning = try await reader.read([before], for: courier) { [vault, known] in
            Meaning(try vault.open($0.sealed, of: courier, $0.id), known, at: .now)
        }[0]
        guard let meaning else { throw Problem.unreadableCode }
        guard let strangers = try await call.run(share).first else { throw Problem.notFound }
        guard strangers == 0 else { throw Problem.sharedWithStranger }
        guard let kept = try await call.run(find).first else { throw Problem.notFound }
        return ReadCredential(kept, meaning).response()
    }

    private func delete(_ call: Call) async throws -> Response {
        let deletion = DeleteCredential(courier: call.caller.account, id: try call.request.parameter("id"))
        guard try await call.run(deletion).first != nil else { throw Problem.notFound }
        return Response(.noContent)
    }

    /// Whether what was told of is still kept.
    private func isKept(_ call: Call, _ told: JSON) async throws -> Bool {
        guard let id = told.toldID else { return true }
        return try await call.run(FindCredential(courier: call.caller.account, id: id)).first != nil
    }
}

extension Problem {
    static let unreadableCode = Problem(.unprocessable, "unreadable_code")
    static let tooManyCredentials = Problem(
        .conflict, "too_many_credentials", arguments: ["max": "\(Bounds.credentials)"])
    static let sharedWithStranger = Problem(
        .unprocessable, "validation_failed", fields: [WrongField("shared_with", "not_your_store")])
}
