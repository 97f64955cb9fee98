import API
import Crypto
import Domain
import HTTP
import Postgres

/// Changing and proving what one signs in with.
package struct IdentityRoom: Room {
    let database: Database
    let passwords: Passwords
    let throttle: Throttle
    let confirmations: Confirmations

    package init(database: Database, passwords: Passwords, throttle: Throttle, confirmations: Confirmations) {
        (self.database, self.passwords, self.throttle, self.confirmations) = (
            database, passwords, throttle, confirmations
        )
    }

    package var endpoints: [Endpoint] {
        calls("phone", "number", of: .courier, takes: PhoneChange.self, taken: .phoneTaken)
            + calls("email", "e-mail address", of: .store, takes: EmailChange.self, taken: .emailTaken)
    }

    private func calls<F: PlaceChange>(
        _ name: String, _ words: String, of kind: AccountKind, takes form: F.Type, taken: Problem
    ) -> [Endpoint] {
        [
            Endpoint(
                .put, "/v1/me/\(name)", for: .only(kind), "Changes the \(words), once the code sent there is confirmed",
                room: "Accounts", takes: form,
                answers: [.accepted(Sending.shape), .ok(Account.shape, "There is nothing to prove: it is changed.")],
                refuses: [taken, .budgetSpent()], handler: change),
            Endpoint(
                .post, "/v1/me/\(name)/code", for: .only(kind), "Sends another code to the \(words) to be confirmed",
                room: "Accounts", answers: [.accepted(Sending.shape)],
                refuses: [.nothingToConfirm, taken, .budgetSpent()],
                keepsItsAnswer: true,
                handler: sendCode),
            Endpoint(
                .post, "/v1/me/\(name)/confirm", for: .only(kind), "Confirms the \(words) by the code sent there",
                room: "Accounts", takes: Confirmation.self, answers: [.ok(Account.shape)],
                refuses: [.wrongCode, taken], keepsItsAnswer: true,
                throttledBy: { call in
                    [Throttle.Bucket("confirming by", call.caller.account.description, burst: 10, step: .seconds(60))]
                }, handler: confirm),
        ]
    }

    private func change(_ call: Call, _ form: some PlaceChange) async throws -> Response {
        let (account, place) = (call.caller.account, form.place)
        _ = try await passwords.check(form.currentPassword, call)
        guard let now = try await call.run(FindAccount(id: account)).first else { throw Problem.unauthenticated }
        guard now.login?.text != place.text || !now.isVerified else {
            try await database.run(DropConfirmation(account: account))
            return try await answer(call.caller, call.runner)
        }
        try await refuseProven(place, call)
        guard confirmations.isOn else {
            return try await refusingTaken {
                try await call.runner.together { runner in
                    try await confirmations.finish(account, at: place, in: call.caller.language, runner)
                    return try await answer(call.caller, runner)
                }
            }
        }
        return try await send(to: place, call)
    }

    private func sendCode(_ call: Call) async throws -> Response {
        guard let text = try await call.run(FindUnproven(account: call.caller.account)).first ?? nil,
            let place = Login(kept: text)
        else { throw Problem.nothingToConfirm }
        // Whoever has proven it meanwhile is asked nothing by somebody else.
        try await refuseProven(place, call)
        return try await send(to: place, call)
    }

    private func refuseProven(_ place: Login, _ call: Call) async throws {
        let isProven = try await call.run(IsProven(place: place, account: call.caller.account)).first
        guard isProven != true else { throw place.taken }
    }

    private func send(to place: Login, _ call: Call) async throws -> Response {
        let account = call.caller.account
        try await throttle.take(confirmations.limits(on: account, to: place))
        return try await call.keepingAnswer { runner in
            try await confirmations.send(to: place, of: account, in: call.caller.language, runner)
            return try await Sending(to: place, runner).response()
        }
    }

    private func confirm(_ call: Call, _ form: Confirmation) async throws -> Response {
        let caller = call.caller
        // This commits by itself: a transaction with the rest would give a wrong try back.
        let attempt = try await database.run(TryConfirmation(account: caller.account)).first
        guard let attempt, let place = Login(kept: attempt.place),
            confirmations.isRight(form.code, attempt, of: caller.account)
        else {
            try await call.noteFailure(.codeFailed, of: caller.account)
            var problem = Problem.wrongCode
            // Where no try was left a twin may still be about to succeed with the last.
            problem.usesUpTry = attempt != nil
            throw problem
        }
        let event = SecurityEvent(.loginProven, of: caller.account, call.request)
        let response = try await refusingTaken {
            try await call.keepingAnswer { runner in
                let use = UseConfirmation(account: caller.account, tried: attempt)
                guard try await runner.run(use).first != nil else { throw Problem.wrongCode }
                try await confirmations.finish(caller.account, at: place, in: caller.language, runner)
                try await runner.run(NoteEvent(event: event.parameter))
                return try await answer(caller, runner)
            }
        }
        call.log(event)
        return response
    }

    private func answer(_ caller: Caller, _ runner: Runner) async throws -> Response {
        guard let account = try await runner.run(FindAccount(id: caller.account)).first else {
            throw Problem.unauthenticated
        }
        var json = JSONWriter()
        json.object(account.write)
        return .json(json.bytes)
    }
}

extension Problem {
    static let wrongCode = Problem(.unprocessable, "wrong_code")
    fileprivate static let nothingToConfirm = Problem(.conflict, "nothing_to_confirm")
}

/// Another name to sign in with, and the password as proof of who asks.
protocol PlaceChange: Form {
    var place: Login { get }
    var currentPassword: String { get }
}

struct PhoneChange: PlaceChange {
    let place: Login
    let currentPassword: String

    init(_ fields: inout Fields) {
        place = .phone(fields.required("phone", as: MobileNumber.self).phone)
        currentPassword = fields.required("current_password")
    }
}

struct EmailChange: PlaceChange {
    let place: Login
    let currentPassword: String

    init(_ fields: inout Fields) {
        place = .email(fields.required("email"))
        currentPassword = fields.required("current_password")
    }
}

/// The code that proves a place.
struct Confirmation: Form {
    let code: String

    init(_ fields: inout Fields) {
        code = fields.required("code")
    }
}
