import API
import Domain
import HTTP

/// What a store does with what is carried, or was delivered.
extension DeliveryRoom {
    var takingBack: [Endpoint] {
        let one = [Endpoint.Answer.ok(StoredDelivery.shape).tagged]
        return [
            Endpoint(
                .post, "/v1/deliveries/{id}/reassign", for: .store,
                "Takes a delivery back from its courier and offers it to others, which counts against nobody",
                room: Self.name, takes: ReassignForm.self, takesIfMatch: true, answers: one,
                refuses: Self.refusals(of: .reassign), keepsItsAnswer: true, stillSeen: isStillSeen, handler: reassign),
            Endpoint(
                .post, "/v1/deliveries/{id}/reopen", for: .store,
                "Says within a day that something was not delivered after all; its courier has it again",
                room: Self.name, takes: ReopenForm.self, takesIfMatch: true, answers: one,
                refuses: Self.refusals(of: .reopen) + [.tooLate, .courierLeft], keepsItsAnswer: true,
                stillSeen: isStillSeen, handler: reopen),
        ]
    }

    private func reassign(_ call: Call, _ form: ReassignForm) async throws -> Response {
        try await change(call) { found in
            let delivery = found.delivery
            return StepCommand(
                .reassign, by: call.caller.account, .store, about: delivery.courier, note: form.note,
                edit: form.couriers.map {
                    StepCommand.Edit(
                        content: delivery.content, candidates: $0, askedAgain: Set($0), named: Set($0))
                })
        }
    }

    private func reopen(_ call: Call, _ form: ReopenForm) async throws -> Response {
        let now = try clock.told(by: call.request) ?? .now
        return try await change(call) { found in
            let courier = found.delivery.courier
            if found.delivery.status == .delivered, let courier, let delivered = found.times.delivered {
                guard StoredDelivery.isRecent(delivered, at: now) else { throw Problem.tooLate }
                guard try await isPartner(courier, call) else { throw Problem.courierLeft }
            }
            return StepCommand(.reopen, by: call.caller.account, .store, about: courier, note: form.note)
        }
    }

    private func isPartner(_ courier: ID, _ call: Call) async throws -> Bool {
        let find = FindStoreWithPartners(store: call.caller.account, couriers: [courier], candidates: [])
        return try await call.run(find).first?.partners == [courier]
    }
}

extension Problem {
    fileprivate static let tooLate = Problem(.conflict, "too_late")
    fileprivate static let courierLeft = Problem(.conflict, "not_partner", wording: "courier_left")
}
