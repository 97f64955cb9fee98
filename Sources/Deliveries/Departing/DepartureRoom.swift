import API
import Domain
import HTTP
import Outbox
import People
import Postgres

/// Leaving Kurir for good.
package struct DepartureRoom: Room {
    let database: Database
    let passwords: Passwords
    let authenticator: Authenticator
    let cookie: SessionCookie

    package init(database: Database, passwords: Passwords, authenticator: Authenticator, cookie: SessionCookie) {
        (self.database, self.passwords, self.authenticator, self.cookie) = (database, passwords, authenticator, cookie)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .delete, "/v1/me", for: .signedIn,
                "Ends the account: it is erased after \(Departure.days) days, unless somebody signs in to it again",
                room: "Accounts", takes: DepartureForm.self,
                answers: [.accepted(.object("Departing", [.init("erase_at", .time)]))],
                refuses: [.ownDeliveriesInProgress], handler: leave)
        ]
    }

    private func leave(_ call: Call, _ form: DepartureForm) async throws -> Response {
        let caller = call.caller
        let hash = try await passwords.check(form.password, as: form.name, call)
        let event = SecurityEvent(.accountLeft, of: caller.account, call.request)
        let due: Timestamp
        do {
            due = try await Departure.leave(
                caller.account, caller.kind, passwordHash: hash,
                telling: Message(.accountLeaving, ["days": "\(Departure.days)"]), noting: event.parameter, database)
        } catch Departure.Refusal.inProgress {
            throw Problem.ownDeliveriesInProgress
        } catch Departure.Refusal.isSo {
            throw Problem.unauthenticated
        }
        await authenticator.forget(caller.account)
        call.log(event)
        var json = JSONWriter()
        json.object { $0.field("erase_at", due) }
        let hasCookie = !call.request.cookies(cookie.name).isEmpty
        return .json(json.bytes, status: .accepted, headers: hasCookie ? [cookie.removal] : [])
    }
}

/// The password, as proof that it is the owner who leaves.
struct DepartureForm: Form {
    let password: String
    /// What it is called: as where a password is changed, or as where somebody signs in.
    let name: String

    init(_ fields: inout Fields) {
        let asAtSigningIn: String? = fields.optional("password")
        let given = asAtSigningIn ?? fields.optional("current_password")
        name = asAtSigningIn == nil ? "current_password" : "password"
        if given == nil, !fields.refused("password"), !fields.refused("current_password") {
            fields.refuse("current_password", "required")
        }
        password = given ?? ""
    }
}

extension Problem {
    fileprivate static let ownDeliveriesInProgress = Problem(
        .conflict, "deliveries_in_progress", wording: "own_deliveries_in_progress")
}
