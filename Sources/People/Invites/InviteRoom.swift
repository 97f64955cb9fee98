import API
import Domain
import HTTP
import Postgres

/// Invites, by whose codes stores gain couriers: making, listing and revoking them.
package struct InviteRoom: Room {
    let codes: InviteCodes
    let redemption: Redemption
    let throttle: Throttle

    package init(codes: InviteCodes, redemption: Redemption, throttle: Throttle) {
        (self.codes, self.redemption, self.throttle) = (codes, redemption, throttle)
    }

    package let eventTypes = ["invite.received"]

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/invites", for: .store, "Invites a courier, by account or by number", room: "Invites",
                takes: InviteForm.self,
                answers: [.created(Self.made), .ok(Self.made, "There is a live invite already, which is returned.")],
                refuses: [.alreadyPartner, .budgetSpent()],
                throttledBy: { call in
                    [Throttle.Bucket("invites of", call.caller.account.description, burst: 100, step: .seconds(36))]
                }, handler: invite
            ).forApproved,
            Endpoint(
                .get, "/v1/invites", for: .signedIn, "A store's invites, or those that a courier got, newest first",
                room: "Invites", query: Endpoint.Parameter.list,
                answers: [.ok(.page(of: ListedInvite.shape))], handler: list),
            Endpoint(
                .delete, "/v1/invites/{id}", for: .store, "Revokes an invite", room: "Invites",
                answers: [.noContent], refuses: [.codeUsed], handler: revoke),
            Endpoint(
                .post, "/v1/invites/{id}/accept", for: .courier, "Redeems an invite without its code",
                room: "Invites", answers: [.created(Partner.shape)],
                refuses: [.notFound, .phoneUnverified] + Problem.redeemingAny, throttledBy: PartnerRoom.redeeming,
                stillSeen: PartnerRoom.isPartner, handler: accept),
        ]
    }

    private static let made = Shape.object(
        "Invite",
        [
            .init("id", .id), .init("code", .string()), .init("url", .string(format: "uri")),
            .init("channel", ListedInvite.channel), .init("channel_is_live", .boolean), .init("expires_at", .time),
        ])

    private func invite(_ call: Call, _ form: InviteForm) async throws -> Response {
        let store = call.caller.account
        guard let name = try await call.run(FindStoreName(store: store)).first else { throw Problem.unauthenticated }
        // Another request for the same courier may win between looking and writing; then there is a live invite.
        for _ in 0..<3 {
            let attempt = MakeInvite(call.caller, form, named: name, codes: codes)
            guard let outcome = try await call.run(attempt).first else { continue }
            guard outcome.isKnown else { throw Problem.unknownCourier }
            guard !outcome.isPartner else { throw Problem.alreadyPartner }
            if let invite = outcome.invite { return answer(invite) }
        }
        throw Problem.unavailable()
    }

    private func answer(_ invite: MadeInvite) -> Response {
        let code = codes.code(of: invite.id)
        var json = JSONWriter()
        json.object { json in
            json.field("id", invite.id)
            json.field("code", code.shown)
            json.field("url", codes.url(code))
            json.field("channel", invite.channel)
            json.field("channel_is_live", invite.isLive)
            json.field("expires_at", invite.expiresAt)
        }
        return .json(json.bytes, status: invite.isNew ? .created : .ok)
    }

    private func accept(_ call: Call) async throws -> Response {
        let invite: ID = try call.request.parameter("id")
        return try await redemption.accept(invite, by: call.caller.account, call.runner).response
    }

    private func list(_ call: Call) async throws -> Response {
        let page = try call.page()
        let invites =
            switch call.caller.kind {
            case .store: try await call.run(ListSentInvites(store: call.caller.account, page: page))
            case .courier: try await call.run(ListReceivedInvites(courier: call.caller.account, page: page))
            }
        return page.response(invites, key: { [$0.id.description] }) { json, invite in
            json.object { invite.write(&$0, codes: codes) }
        }
    }

    private func revoke(_ call: Call) async throws -> Response {
        let revoking = RevokeInvite(store: call.caller.account, id: try call.request.parameter("id"))
        // An open invite that was not revoked was being redeemed meanwhile. A second look shows what came of that.
        for _ in 0..<3 {
            guard let state = try await call.run(revoking).first else { throw Problem.notFound }
            guard state != "redeemed" else { throw Problem.codeUsed }
            if state != "open" { return Response(.noContent) }
        }
        throw Problem.unavailable()
    }
}

/// The courier whom a store invites, and what it writes to that courier.
struct InviteForm: Form {
    let courier: ID?
    let phone: PhoneNumber?
    let message: String?

    init(_ fields: inout Fields) {
        courier = fields.optional("courier_id")
        phone = fields.optional("phone", as: MobileNumber.self)?.phone
        message = fields.optionalLine("message", upTo: Bounds.inviteMessage, by: Texts.paragraph)
        guard !fields.refused("courier_id"), !fields.refused("phone") else { return }
        if (courier == nil) == (phone == nil) { fields.refuse("courier_id", "courier_or_phone") }
    }
}

extension Problem {
    static let alreadyPartner = Problem(.conflict, "already_partner")
    static let codeUsed = Problem(.gone, "code_used")
    fileprivate static let unknownCourier = Problem(
        .unprocessable, "validation_failed", fields: [WrongField("courier_id", "unknown_courier")])
}
