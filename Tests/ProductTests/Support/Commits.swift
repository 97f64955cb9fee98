import Domain
import TestSupport
import Testing

@testable import API
@testable import Deliveries

/// Changes of deliveries, for tests that commit them directly.
enum Commits {
    static func creation(
        of store: Person, to couriers: [Person], reference: String? = nil, key: String? = nil
    ) throws -> Commit {
        let content = DeliveryContent(
            recipient: Recipient(firstName: "Iva", lastName: "Ivić", address: "Ilica 1", phone: nil, location: nil),
            description: "Torta", instructions: nil, reference: reference)
        let change = Lifecycle.create(
            .new(), content: content, candidates: couriers.compactMap { ID($0.id) }, by: try #require(ID(store.id)))
        return Commit(
            change: change, at: .now, times: StoredDelivery.Times(created: .now), notices: [],
            record: try key.map { try record($0, of: store) })
    }

    private static func record(_ key: String, of person: Person) throws -> KeepFirstAnswer {
        let attempt = Attempt(
            account: try #require(ID(person.id)), key: key, whole: [UInt8](repeating: 1, count: 32),
            streamed: nil)
        return KeepFirstAnswer(attempt: attempt, status: 201, headers: [], body: [2])
    }

    static func step(
        _ action: Lifecycle.Action, on found: StoredDelivery, by person: Person, about courier: Person? = nil,
        isPartner: Bool = true, key: String? = nil, pictures: [HungPicture] = []
    ) throws -> Commit {
        let actor = try #require(ID(person.id))
        let kind: AccountKind = found.delivery.store == actor ? .store : .courier
        var shown = StepCommand.Shown()
        shown.pictures = pictures
        let command = StepCommand(action, by: actor, kind, about: courier.flatMap { ID($0.id) }, shown: shown)
        guard case .change(let change) = try Lifecycle.decide(command, on: found.delivery, isPartner: isPartner) else {
            throw ClientError.ended
        }
        let next = found.after(change, at: .now)
        return Commit(
            change: change, at: .now, times: next.times, notices: next.notices(of: change),
            record: try key.map { try record($0, of: person) })
    }
}
