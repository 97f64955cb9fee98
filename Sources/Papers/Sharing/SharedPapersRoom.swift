import API
import Crypto
import Domain
import HTTP
import People
import Postgres

/// What couriers share of their papers with their stores.
package struct SharedPapersRoom: Room, PartnersPapers {
    private let vault: CredentialVault
    private let reader: PaperReader
    private let known: KnownPapers

    package init(_ vault: CredentialVault, _ reader: PaperReader, _ known: KnownPapers) {
        (self.vault, self.reader, self.known) = (vault, reader, known)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/couriers/{id}/credentials", for: .store,
                "The papers that a partner shares: of a health certificate only whether it is valid, and until when",
                room: CredentialRoom.name, query: Endpoint.Parameter.list, answers: [.ok(.page(of: SharedPaper.shape))],
                refuses: [.notFound], handler: list)
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let (courier, store): (ID, ID) = (try call.request.parameter("id"), call.caller.account)
        let page = try call.page()
        guard try await call.run(SharesWith(store: store, courier: courier)).first == true else {
            throw Problem.notFound
        }
        let after = try page.after.map { key in
            guard key.count == 1 else { throw Page.wrongCursor }
            return key[0]
        }
        // The order is that of a keyed hash: so a cursor tells nothing of when a paper was added.
        let told = try await papers(of: [courier], for: store, call.runner) {
            (place: hexadecimal($0.sameness), paper: SharedPaper($1))
        }
        .filter { told in after.map { told.place > $0 } ?? true }.sorted { $0.place < $1.place }
        return page.response(told, key: { [$0.place] }) { json, item in json.object(item.paper.write) }
    }

    package func papers(
        of couriers: [ID], for store: ID, _ runner: Runner
    ) async throws -> [ID: [PaperKind: PaperStanding]] {
        guard !couriers.isEmpty, let wants = try await runner.run(FindWants(store: store)).first, !wants.isEmpty else {
            return [:]
        }
        let kinds = Set(wants.compactMap(PaperKind.init))
        let none = Dictionary(uniqueKeysWithValues: kinds.map { ($0, PaperStanding.none) })
        var standings = Dictionary(couriers.map { ($0, none) }) { first, _ in first }
        let shared = try await papers(of: couriers, for: store, runner, kinds) {
            (courier: $0.courier, kind: $1.kind, standing: $1.standing)
        }
        for (courier, kind, standing) in shared {
            guard let standing, standings[courier]?[kind] != .valid else { continue }
            standings[courier]?[kind] = standing
        }
        return standings
    }

    /// How many bytes of sealed papers a list holds at once. A place is taken before any is asked for, so that an account's lists together
    /// hold no more than this for each of its places, however many of its partners share however much.
    private static let mostBytes = 1 << 18

    /// What is told of the papers of these kinds that these couriers share, but for those that no longer decode.
    private func papers<Told: Sendable>(
        of couriers: [ID], for store: ID, _ runner: Runner, _ kinds: Set<PaperKind> = Set(PaperKind.allCases),
        _ tell: @escaping @Sendable (KeptShare, Meaning) -> Told
    ) async throws -> [Told] {
        try await reader.holding(for: store) { place in
            var told: [Told] = []
            let shares = try await runner.run(ListShares(store: store, couriers: couriers))
            for portion in Share.portions(of: shares, upTo: Self.mostBytes) {
                let sealed = try await runner.run(ListSharedPapers(store: store, shares: portion))
                // What is told of a certificate is small. What was read of it may be forty times what was sealed.
                told += try await reader.read(sealed, in: place) { [vault, known] paper in
                    let credential = try vault.open(paper.sealed, of: paper.courier, paper.id)
                    return Meaning(credential, known, at: .now, of: kinds).map { tell(paper, $0) }
                }
                .compactMap(\.self)
            }
            return told
        }
    }
}

extension Meaning {
    /// What it is to a store.
    var kind: PaperKind { if case .stated(let stated, _) = self { stated.kind } else { .healthCertificate } }

    /// Nil for what a store need not know of.
    var standing: PaperStanding? {
        let state =
            switch self {
            case .stated(let stated, let now): PaperState(until: stated.until, at: now)
            case .certified(_, let verdict): verdict.state
            }
        return state == .valid ? .valid : state == .expired ? .expired : nil
    }
}
