import API
import Crypto
import Domain
import HTTP
import Postgres

/// Everything that is kept about an account and that its owner may see, as one object of JSON. It is read and written page by
/// page, however much it is.
package struct Export: Sendable {
    private let account: ID
    private let kind: AccountKind
    private let database: ReplicaReads
    private let papers: PaperOpener?

    /// Gives what a paper says that is kept sealed.
    package typealias PaperOpener = @Sendable (_ sealed: [UInt8], _ courier: ID, _ id: ID) throws -> [String: JSON]

    /// How many deliveries are read at once.
    private static let most: Int32 = 200

    /// Whoever has no `papers` learns only that there are some.
    package init(of account: ID, _ kind: AccountKind, in database: ReplicaReads, papers: PaperOpener? = nil) {
        (self.account, self.kind, self.database, self.papers) = (account, kind, database, papers)
    }

    /// The names of its lists, in the order in which they are written.
    package static let lists =
        [
            ExportedAccount.name, ExportedSessions.name, ExportedDevices.name, ExportedAddresses.name,
            ExportedInvites.name,
            ExportedPartners.name, ExportedCancellations.name, ExportedEarnings.name, ExportedPlaces.name,
            ExportedCredentials.name,
            ExportedBulletins.name,
            ExportedPosition.name,
            ExportedTrail.name, ExportedConversations.name, ExportedConversationMessages.name,
            ExportedQuickAnswers.name,
            ExportedRoads.name, ExportedRoadVotes.name,
        ] + ["deliveries"] + [ExportedEvents.name, ExportedMessages.name, ExportedSecurity.name]

    /// Writes it piece by piece.
    package func write(_ write: (_ piece: [UInt8]) async throws -> Void) async throws {
        try await write(Array("{\"\(ExportedAccount.name)\":[".utf8))
        try await rows(ExportedAccount.self, write)
        try await list(ExportedSessions.self, write)
        try await list(ExportedDevices.self, write)
        try await list(ExportedAddresses.self, write)
        try await list(ExportedInvites.self, write)
        try await list(ExportedPartners.self, write)
        try await list(ExportedCancellations.self, write)
        try await list(ExportedEarnings.self, write)
        try await list(ExportedPlaces.self, write)
        try await list(ExportedCredentials.self, write)
        try await list(ExportedBulletins.self, write)
        try await list(ExportedPosition.self, write)
        try await list(ExportedTrail.self, write)
        try await list(ExportedConversations.self, write)
        try await list(ExportedConversationMessages.self, write)
        try await list(ExportedQuickAnswers.self, write)
        try await list(ExportedRoads.self, write)
        try await list(ExportedRoadVotes.self, write)
        try await write(Array("],\"deliveries\":[".utf8))
        try await deliveries(write)
        try await list(ExportedEvents.self, write)
        try await list(ExportedMessages.self, write)
        try await list(ExportedSecurity.self, write)
        try await write(Array("]}\n".utf8))
    }

    private func list<Rows: ExportedRows>(
        _ rows: Rows.Type, _ write: (_ piece: [UInt8]) async throws -> Void
    ) async throws {
        try await write(Array("],\"\(Rows.name)\":[".utf8))
        try await self.rows(rows, write)
    }

    private func rows<Rows: ExportedRows>(
        _: Rows.Type, _ write: (_ piece: [UInt8]) async throws -> Void
    ) async throws {
        var (after, isFirst) = ("", true)
        while true {
            let page = try await database.run(ExportPage<Rows>(account: account, after: after))
            guard let last = page.last else { return }
            let items = try page.map { Rows.isSealed ? try opened($0.json) : Array($0.json.utf8) }
            try await write(Self.joined(items, isFirst: isFirst))
            guard page.count == ExportPage<Rows>.most else { return }
            (after, isFirst) = (last.place, false)
        }
    }

    /// A paper with what it says instead of what is sealed.
    private func opened(_ paper: String) throws -> [UInt8] {
        guard case .object(var members)? = JSON(Array(paper.utf8)) else { return Array(paper.utf8) }
        let sealed = members.removeValue(forKey: "sealed")
        if let papers, case .string(let text)? = sealed, let bytes = Base64URL.decode(text),
            let id = JSON.object(members).toldID
        {
            members.merge(try papers(bytes, account, id)) { $1 }
        }
        return JSON.object(members).bytes
    }

    /// As the account's list has them, each with its history.
    private func deliveries(_ write: (_ piece: [UInt8]) async throws -> Void) async throws {
        var (after, isFirst) = (try ListedDeliveries.place(nil) as ListedDeliveries.Place?, true)
        while let place = after {
            let part = ListedDeliveries.Part(
                account: account, after: place, last: DeliveryStatus.allCases.last!, limit: Self.most)
            let found =
                switch kind {
                case .store: Found(items: try await database.run(ListOfStore(part: part)), edge: nil)
                case .courier: Found(try await database.run(ListOfCourier(part: part)))
                }
            if !found.items.isEmpty {
                try await write(Self.joined(try await withHistories(found.items), isFirst: isFirst))
                isFirst = false
            }
            let isFull = found.items.count == Int(Self.most)
            after = try (isFull ? found.items.last?.place : found.edge).map(ListedDeliveries.place)
        }
    }

    private func withHistories(_ deliveries: [ListedDelivery]) async throws -> [[UInt8]] {
        let steps = try await database.run(ListHistories(deliveries: deliveries.map(\.id)))
        let histories = Dictionary(grouping: steps, by: \.delivery)
        return deliveries.map { delivery in
            var json = JSONWriter()
            json.object { json in
                json.array("history", histories[delivery.id] ?? []) { json, found in
                    // What is still kept is exported.
                    json.object { found.step.write(&$0, to: account, kind, isForgotten: false) }
                }
            }
            // The history becomes the last member of the delivery.
            return delivery.json.dropLast() + Array(",".utf8) + json.bytes.dropFirst()
        }
    }

    private static func joined(_ items: [[UInt8]], isFirst: Bool) -> [UInt8] {
        Array((isFirst ? items : [[]] + items).joined(separator: ",".utf8))
    }
}

/// Every step of some deliveries, each delivery's oldest first.
struct ListHistories: Statement {
    static let sql = """
        SELECT d.id, step.* FROM unnest($1::uuid[]) AS d(id), LATERAL (
            SELECT \(HistoryStep.columns()) WHERE h.delivery_id = d.id ORDER BY h.seq OFFSET 0) step
        """
    static let isReadOnly = true
    let deliveries: [ID]

    func bind(into parameters: inout Parameters) { parameters.add(deliveries) }

    static func decode(_ row: inout RowReader) throws -> (delivery: ID, step: HistoryStep) {
        (try row.read(), try HistoryStep(&row))
    }
}
