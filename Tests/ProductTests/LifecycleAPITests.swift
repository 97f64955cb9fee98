import Domain
import HTTP
import TestSupport
import Testing

/// Each cell of the lifecycle's table, through the API.
@Suite(.database) struct LifecycleAPITests {
    /// A delivery in some status, and somebody with some standing to it.
    private struct Scene {
        let delivery: String
        let person: Person
        let store: Person
    }

    /// Makes the scene, or says that it is impossible.
    private func scene(_ standing: Lifecycle.Standing, _ status: DeliveryStatus, _ api: ServedProduct) async throws
        -> Scene?
    {
        let (store, couriers) = try await api.team(3)
        let (ana, ivo) = (couriers[0], couriers[1])
        let id = try await api.delivery(
            of: store, to: [ivo, ana], standing == .waiting ? ["offer": ["mode": "in_turn"]] : [:])
        let person: Person
        var holder = ivo
        switch standing {
        case .store: person = store
        case .candidate: person = ana
        case .declined:
            person = ana
            try await api.act("decline", id, as: ana)
        case .forfeited:
            person = ana
            try await api.act("accept", id, as: ana)
            try await api.act("cancel", id, as: ana)
        case .holder:
            (person, holder) = (ana, ana)
            guard status.hasCourier else { return nil }
        case .formerHolder:
            person = ana
            try await api.act("accept", id, as: ana)
            if status != .cancelled {
                try await api.act("reassign", id, as: store, ["courier_ids": .array([.string(ivo.id)])])
            }
        case .waiting:
            person = ana
            guard status == .pending else { return nil }
        case .stranger: person = couriers[2]
        }
        if status.hasCourier || status == .cancelled && standing != .formerHolder {
            try await api.act("accept", id, as: holder)
        }
        if status == .delivered { try await api.act("deliver", id, as: holder) }
        if status == .cancelled { try await api.act("cancel", id, as: store) }
        return Scene(delivery: id, person: person, store: store)
    }

    @Test(arguments: Lifecycle.Standing.allCases, DeliveryStatus.allCases)
    func `every cell of the lifecycle holds through the API`(_ standing: Lifecycle.Standing, _ status: DeliveryStatus)
        async throws
    {
        try await ServedProduct.serving { api in
            for action in Lifecycle.Action.asked {
                guard let scene = try await scene(standing, status, api) else { return }
                let answer = try await act(action, scene, api)
                let path = SampleDelivery.path(scene.delivery)
                let after = try await api.get(path, as: scene.store.token).json
                switch try expected(action, standing, status) {
                case .becomes(let next, _):
                    #expect(answer.status == 200 && answer.json["status"].string == next.rawValue, "\(action)")
                    #expect(after["status"].string == next.rawValue)
                    // Repeating the step changes nothing or is refused; it never happens twice.
                    let again = try await act(action, scene, api)
                    let version = try await api.get(path, as: scene.store.token).json["version"].integer ?? 0
                    #expect(
                        [.edit, .fail].contains(action) || version == after["version"].integer,
                        "\(action): \(again.json)")
                case .stays:
                    #expect(answer.status == 200 && after["status"].string == status.rawValue, "\(action)")
                case .refused(let refusal):
                    let wanted = refusal == .notFound ? 404 : refusal == .forfeited ? 403 : 409
                    #expect(answer.status == wanted, "\(action) by \(standing) of \(status): \(answer.json)")
                    #expect(answer.code == refusal.rawValue)
                    #expect(after["status"].string == status.rawValue)
                }
                let isVisible = Lifecycle.isVisible(status, to: standing)
                if case .refused = try expected(action, standing, status) {
                    for more in ["", "history"] {
                        let seen = try await api.get(SampleDelivery.path(scene.delivery, more), as: scene.person.token)
                        #expect(seen.status == (isVisible ? 200 : 404), "\(standing) \(status) \(more)")
                    }
                }
            }
            try await api.expectConsistency()
        }
    }

    /// The table's outcome. A store that asks for a courier's step is refused before the table is asked.
    private func expected(
        _ action: Lifecycle.Action, _ standing: Lifecycle.Standing, _ status: DeliveryStatus
    ) throws -> Lifecycle.Outcome {
        Lifecycle.outcome(of: action, by: standing, status)
    }

    private func act(_ action: Lifecycle.Action, _ scene: Scene, _ api: ServedProduct) async throws -> Answer {
        let answer =
            action == .edit
            ? try await api.call(
                "PATCH", SampleDelivery.path(scene.delivery), ["description": "Nešto drugo"], as: scene.person.token)
            : try await api.act(
                action.rawValue, scene.delivery, as: scene.person,
                action == .fail ? ["reason": "nobody_home"] : action == .reopen ? ["note": "nije stiglo"] : nil)
        // Couriers do not edit, and stores do not carry. They are refused by kind, which counts as not found here.
        guard answer.status == 403, answer.code == "forbidden" else { return answer }
        return try await api.get("/v1/deliveries/018f0000-0000-7000-8000-000000000000", as: scene.person.token)
    }
}
