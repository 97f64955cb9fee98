import API
import Deliveries
import Domain
import HTTP
import Outbox
import People

@testable import API
@testable import Deliveries
@testable import HTTP
@testable import Outbox
@testable import People

extension Property {
    /// The bodies of all calls. Each is taken, with texts within their bounds, or refused with what is wrong.
    static let forms = Property("forms") { bytes in
        let request = try Request.made(fields: [("content-type", "application/json".bytes)], body: bytes)
        for form in others { try form(request) }
        guard let delivery = try taken(NewDelivery.self, request) else { return }
        let content = delivery.content
        try bounded([content.recipient.firstName, content.recipient.lastName], Bounds.name)
        try bounded([content.recipient.address], Bounds.address)
        try bounded([content.description, content.instructions ?? ""], Bounds.text)
        try bounded([content.reference ?? ""], Bounds.reference)
        try require((1...Bounds.candidates).contains(delivery.couriers.count), "\(delivery.couriers.count) couriers")
        try require(Set(delivery.couriers).count, is: delivery.couriers.count, "couriers, each once")
        if let place = content.recipient.location {
            try require((-90.0...90).contains(place.lat) && (-180.0...180).contains(place.lon), "\(place)")
        }
    }

    private static let others: [@Sendable (Request) throws -> Void] = [
        reads(StoreRegistration.self), reads(CourierRegistration.self), reads(AccountChange.self),
        reads(PasswordChange.self), reads(PasswordResetRequest.self), reads(PasswordReset.self), reads(SignIn.self),
        reads(InviteForm.self), reads(RedeemForm.self), reads(DeviceClaim.self), reads(ChangedDelivery.self),
        reads(DeliverForm.self), reads(CancelForm.self), reads(ClaimForm.self), reads(AckForm.self),
        reads(ExtendForm.self), reads(NackForm.self), reads(ContestForm.self), reads(PickUpForm.self),
        reads(FailForm.self),
        reads(ReassignForm.self), reads(ReopenForm.self),
    ]

    private static func reads<F: Form>(_ form: F.Type) -> @Sendable (Request) throws -> Void {
        { _ = try taken(form, $0) }
    }

    /// Nil for a body that is refused, with words for what is wrong. Every other error goes on.
    private static func taken<F: Form>(_ form: F.Type, _ request: Request) throws -> F? {
        do {
            return try Fields.read(request, as: form)
        } catch let problem as Problem {
            try require([400, 422].contains(problem.status.code), "\(F.self): \(problem)")
            try require(problem.status.code == 400 || !problem.fields.isEmpty, "\(F.self) does not say what is wrong")
            return nil
        }
    }

    private static func bounded(_ texts: [String], _ most: Int) throws {
        for text in texts {
            try require(text.count <= most && text.utf8.count <= 4 * most, "\(text.count) characters for \(most)")
            try require(!text.utf8.contains(0), "a text that the database would refuse")
        }
    }
}
