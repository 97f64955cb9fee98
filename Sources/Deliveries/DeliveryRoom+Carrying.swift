import API
import Domain
import HTTP

/// What a courier does with what it carries.
extension DeliveryRoom {
    var carrying: [Endpoint] {
        let one = [Endpoint.Answer.ok(StoredDelivery.shape)]
        return [
            Endpoint(
                .post, "/v1/deliveries/{id}/pick_up", for: .courier, "Reports that a parcel was fetched",
                room: Self.name, takes: PickUpForm.self, takesIfMatch: true, answers: one,
                refuses: Self.refusals(of: .pickUp) + [.unknownFile], keepsItsAnswer: true, stillSeen: isStillSeen,
                handler: pickUp),
            Endpoint(
                .post, "/v1/deliveries/{id}/fail", for: .courier,
                "Reports that a parcel could not be handed over. It is still carried, and may be given back freely",
                room: Self.name, takes: FailForm.self, takesIfMatch: true, answers: one,
                refuses: Self.refusals(of: .fail) + [.unknownFile], keepsItsAnswer: true, stillSeen: isStillSeen,
                handler: fail),
            Endpoint(
                .post, "/v1/deliveries/{id}/deliver", for: .courier,
                "Reports that a delivery was handed over, with what its proof wants", room: Self.name,
                takes: DeliverForm.self, takesIfMatch: true, answers: one,
                refuses: Self.refusals(of: .deliver) + [.proofMissing, .wrongPin, .tooManyPins, .unknownFile],
                keepsItsAnswer: true, stillSeen: isStillSeen, handler: deliver),
        ]
    }

    private func pickUp(_ call: Call, _ form: PickUpForm) async throws -> Response {
        try await change(call) { found in
            if found.isCarried(by: call) { try form.files.check() }
            return StepCommand(.pickUp, by: call.caller.account, .courier, note: form.note)
        }
    }

    private func fail(_ call: Call, _ form: FailForm) async throws -> Response {
        var shown = StepCommand.Shown()
        shown.location = form.location
        return try await change(call) { [shown] found in
            if found.isCarried(by: call) { try form.files.check() }
            return StepCommand(
                .fail, by: call.caller.account, .courier, reason: form.reason.rawValue, note: form.note, shown: shown)
        }
    }

    private func deliver(_ call: Call, _ form: DeliverForm) async throws -> Response {
        var isProven = false
        return try await change(call) { found in
            if !isProven, found.isCarried(by: call) {
                try form.check(found.delivery.content.terms)
                try form.files.check(signature: form.signature)
                try await check(form.pin, on: found, call)
                isProven = true
            }
            return StepCommand(.deliver, by: call.caller.account, .courier, note: form.note, shown: form.shown)
        }
    }

    private func check(_ pin: String?, on found: StoredDelivery, _ call: Call) async throws {
        guard let wanted = found.delivery.content.terms.proof.pin, let carry = found.times.accepted else { return }
        let isLeft = try await call.run(TakePinTry(delivery: found.delivery.id, carry: carry)).first
        guard isLeft == true else { throw Problem.tooManyPins }
        guard pin == wanted else { throw Problem.wrongPin }
    }
}

extension StoredDelivery {
    /// Whether the courier who asks carries it.
    fileprivate func isCarried(by call: Call) -> Bool {
        delivery.status.isCarried && standing(of: call.caller.account) == .holder
    }
}

extension Problem {
    static let proofMissing = Problem(.unprocessable, "proof_missing")
}
