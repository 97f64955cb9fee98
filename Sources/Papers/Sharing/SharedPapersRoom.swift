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
        let shared = try await call.run(ListSharedPapers(store: store, couriers: [courier]))
            .map { (place: hexadecimal($0.sameness), kept: $0) }.sorted { $0.place < $1.place }
            .filter { shared in after.map { shared.place > $0 } ?? true }
        let papers = try await meanings(of: shared.map(\.kept), for: store)
        let told = zip(shared, papers).compactMap { shared, meaning in
            meaning.map { (place: shared.place, paper: SharedPaper($0)) }
        }
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
        for start in stride(from: 0, to: couriers.count, by: Self.atOnce) {
            let some = Array(couriers[start..<min(start + Self.atOnce, couriers.count)])
            let shared = try await runner.run(ListSharedPapers(store: store, couriers: some))
            for (paper, meaning) in zip(shared, try await meanings(of: shared, for: store, kinds)) {
                guard let meaning, let standing = meaning.standing else { continue }
                let before = standings[paper.courier]?[meaning.kind]
                if before != .valid { standings[paper.courier]?[meaning.kind] = standing }
            }
        }
        return standings
    }

    /// Of how many couriers papers are held at once: each may share fifty, and large ones.
    private static let atOnce = 50

    /// What those of these kinds mean now; nil for others, and for those that no longer decode.
    private func meanings(
        of shared: [KeptShare], for store: ID, _ kinds: Set<PaperKind> = Set(PaperKind.allCases)
    ) async throws -> [Meaning?] {
        try await reader.read(shared, for: store) { [vault, known] in
            Meaning(try vault.open($0.sealed, of: $0.courier, $0.id), known, at: .now, of: kinds)
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
