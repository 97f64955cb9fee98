import API
import Domain
import HTTP

/// What a courier does with what it carries.
extension DeliveryRoom {
    var carrying: [Endpoint] {
        let one = [Endpoint.Answer.ok(StoredDelivery.shape).tagged]
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
                refuses: Self.refusals(of: .fail) + [Problem(Lifecycle.Refusal.tooManyAttempts), .unknownFile],
                keepsItsAnswer: true, stillSeen: isStillSeen, handler: fail),
            Endpoint(
                .post, "/v1/deliveries/{id}/deliver", for: .courier,
                "Reports that a delivery was handed over, with what its proof wants", room: Self.name,
                takesIfMatch: true, answers: one,
                refuses: Self.refusals(of: .deliver) + [.proofMissing, .wrongPin, .tooManyPins(), .unknownFile],
                keepsItsAnswer: true, stillSeen: isStillSeen, handler: deliver
            ).taking(DeliverForm.self),
        ]
    }

    private func pickUp(_ call: Call, _ form: PickUpForm) async throws -> Response {
        try await change(call) { found in
            var shown = StepCommand.Shown()
            if found.isCarried(by: call), !found.delivery.isPickedUp {
                shown.pictures = try await call.pictures(form.files, for: found.delivery.id)
            }
            return StepCommand(.pickUp, by: call.caller.account, .courier, note: form.note, shown: shown)
        }
    }

    private func fail(_ call: Call, _ form: FailForm) async throws -> Response {
        try await change(call) { found in
            var shown = StepCommand.Shown()
            shown.location = form.location
            if found.isCarried(by: call) {
                shown.pictures = try await call.pictures(form.files, for: found.delivery.id)
            }
            return StepCommand(
                .fail, by: call.caller.account, .courier, reason: form.reason.rawValue, note: form.note, shown: shown)
        }
    }

    /// What is said is read of whoever carries it alone: it is ignored when the delivery was handed over already.
    private func deliver(_ call: Call) async throws -> Response {
        var checked: (terms: DeliveryTerms, note: String?, shown: StepCommand.Shown)?
        return try await change(call, proving: true) { found in
            let terms = found.delivery.content.terms
            if checked?.terms != terms, found.isCarried(by: call) {
                let form: DeliverForm = try call.form()
                try form.check(terms)
                let pictures = try await call.pictures(form.files, for: found.delivery.id)
                let shown = form.shown(pictures, isPinRight: try await check(form.pin, on: found, call))
                checked = (terms, form.note, shown)
            }
            return StepCommand(
                .deliver, by: call.caller.account, .courier, note: checked?.note,
                shown: checked?.shown ?? StepCommand.Shown())
        }
    }

    /// Whether the PIN is right, which it must be; nil where none is asked for.
    private func check(_ pin: String?, on found: StoredDelivery, _ call: Call) async throws -> Bool? {
        guard let wanted = found.delivery.content.terms.proof.pin, let carry = found.times.accepted else { return nil }
        // Who means another version has not tried a PIN.
        try call.request.checkMatch(version: found.delivery.version)
        if let seconds = try await call.run(TakePinTry(delivery: found.delivery.id, carry: carry)).first
            ?? TakePinTry.seconds
        {
            throw Problem.tooManyPins(for: seconds)
        }
        guard pin == wanted else { throw Problem.wrongPin }
        return true
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
