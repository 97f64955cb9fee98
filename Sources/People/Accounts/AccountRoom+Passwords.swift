import API
import Outbox
import Crypto
import Domain
import HTTP
import Postgres

extension AccountRoom {
    var passwordEndpoints: [Endpoint] {
        [
            Endpoint(
                .put, "/v1/me/password", for: .signedIn, "Changes the password and ends every other session",
                room: "Accounts", takes: PasswordChange.self, answers: [.noContent], handler: changePassword),
            Endpoint(
                .post, "/v1/password_resets", for: .anyone, "Sends a code by e-mail or SMS, if the account exists",
                room: "Accounts", takes: PasswordResetRequest.self, answers: [.accepted], handler: requestReset),
            Endpoint(
                .put, "/v1/password_resets", for: .anyone, "Sets a new password with the code, and ends all sessions",
                room: "Accounts", takes: PasswordReset.self, answers: [.noContent], refuses: [.wrongCode],
                handler: reset),
        ]
    }

    private func changePassword(_ call: Call, _ form: PasswordChange) async throws -> Response {
        let caller = call.caller
        let bucket = Throttle.Bucket("password of", caller.account.description, burst: 10, step: .seconds(60))
        try await throttle.take([bucket])
        let old = try await database.run(FindPassword(account: caller.account)).first
        guard let old, try await hasher.verify(form.current, against: old) else { throw Problem.wrongPassword }
        let change = ChangePassword(
            account: caller.account, old: old, new: try await hasher.hash(form.new.text))
        try await database.transaction { transaction in
            // If another change came first, the current password is a different one, and nothing is changed.
            guard try await transaction.run(change).first != nil else { throw Problem.wrongPassword }
            try await transaction.run(EndSessions(account: caller.account, kept: caller.session))
        }
        await authenticator.forget(caller.account)
        try await throttle.clear([bucket])
        return Response(.noContent)
    }

    /// The answer is the same whether or not there is such an account.
    private func requestReset(_ call: Call, _ form: PasswordResetRequest) async throws -> Response {
        try await throttle.take([
            Throttle.Bucket("reset from", call.request.client.network.description, burst: 20, step: .seconds(60))
        ])
        // The last code stays good, so that nobody can keep somebody else from having one.
        let often = Throttle.Bucket("reset of", form.login.key, burst: 3, step: .seconds(300))
        guard try await throttle.wait(for: [often]) == nil else { return Response(.accepted) }
        let code = ResetCode.random(SecureRandom.word())
        let message = Message(
            .passwordReset, ["code": code.digits, "minutes": String(Self.resetMinutes)],
            data: ["code": .string(code.digits)])
        try await database.run(
            InsertReset(
                login: form.login, codeHash: hash(code, of: form.login), minutes: Self.resetMinutes, message: message,
                address: call.request.client.description))
        return Response(.accepted)
    }

    private func reset(_ call: Call, _ form: PasswordReset) async throws -> Response {
        try await throttle.take([
            Throttle.Bucket("code from", call.request.client.network.description, burst: 20, step: .seconds(60)),
            Throttle.Bucket(
                "code from and of", "\(call.request.client.network) \(form.login.key)", burst: 10, step: .seconds(60)),
        ])
        guard let attempt = try await database.run(TryReset(login: form.login)).first,
            let code = ResetCode(form.code), constantTimeEquals(attempt.codeHash, hash(code, of: form.login))
        else { throw Problem.wrongCode }
        let finish = FinishReset(
            attempt: attempt, passwordHash: try await hasher.hash(form.new.text, in: .new(call.request)))
        try await database.transaction { transaction in
            guard try await transaction.run(finish).first != nil else { throw Problem.wrongCode }
            try await transaction.run(EndSessions(account: attempt.account, kept: nil))
        }
        await authenticator.forget(attempt.account)
        return Response(.noContent)
    }

    private static let resetMinutes = 15

    /// The hash has a key, since there are so few codes that all could be tried against a plain hash.
    private func hash(_ code: ResetCode, of login: Login) -> [UInt8] {
        HMAC.sha256(key: secret.key(for: "password reset"), Array("\(login.key) \(code.digits)".utf8))
    }
}

extension Problem {
    fileprivate static let wrongPassword = Problem(
        .unprocessable, "validation_failed", fields: [WrongField("current_password", "wrong_password")])
    fileprivate static let wrongCode = Problem(.unprocessable, "wrong_code")
}
