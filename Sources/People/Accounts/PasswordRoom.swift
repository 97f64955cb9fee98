import API
import Crypto
import Domain
import HTTP
import Outbox
import Postgres

/// Changing a password, and getting a new one when the old one is forgotten.
package struct PasswordRoom: Room {
    let database: Database
    let passwords: Passwords
    let authenticator: Authenticator
    let throttle: Throttle
    private let publicURL: PublicURL
    private let key: [UInt8]

    package init(
        database: Database, passwords: Passwords, authenticator: Authenticator, throttle: Throttle,
        secret: ServerSecret, publicURL: PublicURL
    ) {
        (self.database, self.passwords, self.authenticator, self.throttle) = (
            database, passwords, authenticator, throttle
        )
        self.publicURL = publicURL
        key = secret.key(for: "password reset")
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .put, "/v1/me/password", for: .signedIn, "Changes the password and ends every other session",
                room: "Accounts", takes: PasswordChange.self, answers: [.noContent], handler: changePassword
            ).neverRefused,
            Endpoint(
                .post, "/v1/password_resets", for: .anyone, "Sends a code by e-mail or SMS, if the account exists",
                room: "Accounts", takes: PasswordResetRequest.self, answers: [.accepted(Self.asked)],
                handler: requestReset),
            Endpoint(
                .put, "/v1/password_resets", for: .anyone, "Sets a new password with the code, and ends all sessions",
                room: "Accounts", takes: PasswordReset.self, answers: [.noContent], refuses: [.wrongCode],
                handler: reset),
        ]
    }

    private static let asked = Shape.object("AskedReset", [.init("reset_id", .id)] + Sending.members)

    private func changePassword(_ call: Call, _ form: PasswordChange) async throws -> Response {
        let caller = call.caller
        guard let account = try await database.run(FindAccount(id: caller.account)).first else {
            throw Problem.unauthenticated
        }
        let old = try await passwords.check(form.current, for: form.new, of: account, call)
        let new = try await passwords.hash(form.new, of: account.login, in: .signedIn(call.request))
        let change = SetPassword(
            account: caller.account, old: old, new: new, message: Message(.passwordChanged),
            event: SecurityEvent(.passwordChanged, of: caller.account, call.request))
        try await database.transaction { transaction in
            // If another change came first, the current password is a different one, and nothing is changed.
            guard try await transaction.run(change).first != nil else { throw Problem.wrongPassword() }
            try await transaction.run(EndSessions(account: caller.account, kept: caller.session))
        }
        await authenticator.forget(caller.account)
        call.log(change.event)
        return Response(.noContent)
    }

    /// Says the same in the same time whether or not there is such an account, for which alone something is sent.
    private func requestReset(_ call: Call, _ form: PasswordResetRequest) async throws -> Response {
        try await evenly {
            let (id, login, client) = (ID.new(), form.login, call.request.client)
            let account = try await database.run(FindHolder(login: login, network: client.network)).first
            let isFamiliar = account?.isFamiliar ?? false
            try await throttle.take(Self.limits(on: client, login, isFamiliar: isFamiliar))
            let isSent = try await throttle.wait(for: isFamiliar ? [] : [Self.strangers(login)]) == nil
            let code = ResetCode.random(SecureRandom.word())
            try await database.run(
                InsertReset(
                    id: id, account: isSent ? account?.id : nil, codeHash: hash(code, of: id),
                    message: message(code, id, login), isStranger: !(isFamiliar && account?.isVerified == true)))
            try await call.noteFailure(.resetAsked, of: nil, called: login.key)
            let sending = try await Sending(to: login, .database(database))
            var json = JSONWriter()
            json.object { json in
                json.field("reset_id", id)
                sending.write(&json)
            }
            return .json(json.bytes, status: .accepted)
        }
    }

    /// Asking is charged to where it comes from. An address that the account has used is not held up by what else comes from
    /// there, nor by anybody elsewhere.
    private static func limits(on client: IPAddress, _ login: Login, isFamiliar: Bool) -> [Throttle.Bucket] {
        isFamiliar
            ? [Throttle.Bucket("reset from and of", "\(client) \(login.key)", burst: 20, step: .seconds(60))]
            : client.buckets("reset from", burst: 20, step: .seconds(60))
    }

    /// What strangers have sent to one name, wherever they ask: neither do they fill somebody's mailbox, nor are there ever many
    /// codes to be guessed at. Whoever asks beyond that is told the same, and nothing is sent.
    private static func strangers(_ login: Login) -> Throttle.Bucket {
        Throttle.Bucket("reset by strangers of", login.key, burst: 20, step: .seconds(600))
    }

    private func message(_ code: ResetCode, _ id: ID, _ login: Login) -> Message {
        let lastLine =
            switch login {
            case .email: "\(publicURL.text)/store#reset=\(id).\(code.digits)"
            case .phone: publicURL.lastLine(code)
            }
        return Message(
            .passwordReset, ["code": code.digits, "minutes": String(InsertReset.minutes)],
            data: ["code": .string(code.digits), "reset_id": .string(id.description)], lastLine: lastLine)
    }

    private func reset(_ call: Call, _ form: PasswordReset) async throws -> Response {
        let client = call.request.client
        let subject = form.id?.description ?? form.login?.key ?? ""
        let found = try await evenly {
            try await throttle.take(
                client.buckets("code from", burst: 20, step: .seconds(60)) + [
                    Throttle.Bucket("code from and of", "\(client.network) \(subject)", burst: 10, step: .seconds(60))
                ])
            guard let found = try await find(form, from: client),
                let account = try await database.run(FindAccount(id: found.account)).first,
                // Whoever says beside the code's id how the account signs in means that one.
                form.login == nil || form.login?.key == account.login?.key
            else {
                try await call.noteFailure(.resetFailed, of: nil, called: subject)
                throw Problem.wrongCode
            }
            return (id: found.id, account: account)
        }
        do {
            try passwords.refusePersonal(form.new, of: found.account)
        } catch {
            // The code was right: it was no try.
            if form.id != nil { try await database.run(GiveTryBack(id: found.id)) }
            throw error
        }
        let new = try await passwords.hash(form.new, of: found.account.login, in: .new(call.request))
        let change = SetPassword(
            account: found.account.id, old: nil, new: new, message: Message(.passwordChanged),
            event: SecurityEvent(.resetDone, of: found.account.id, call.request))
        try await database.transaction { transaction in
            guard try await transaction.run(UseReset(id: found.id)).first != nil else { throw Problem.wrongCode }
            try await transaction.run(change)
            try await transaction.run(EndSessions(account: found.account.id, kept: nil))
        }
        await authenticator.forget(found.account.id)
        call.log(change.event)
        return Response(.noContent)
    }

    /// The live code that was typed: that of the request, or any of the account.
    private func find(_ form: PasswordReset, from client: IPAddress) async throws -> (id: ID, account: ID)? {
        guard let code = ResetCode(form.code) else { return nil }
        var live: [LiveReset] = []
        if let id = form.id {
            live = try await database.run(TryReset(id: id))
        } else if let login = form.login {
            live = try await database.run(TryResets(login: login, network: client.network))
        }
        let right = live.first { constantTimeEquals($0.codeHash, hash(code, of: $0.id)) }
        return right.flatMap { reset in reset.account.map { (reset.id, $0) } }
    }

    /// The hash has a key, since there are so few codes that all could be tried against a plain hash.
    private func hash(_ code: ResetCode, of id: ID) -> [UInt8] {
        HMAC.sha256(key: key, Array("\(id) \(code.digits)".utf8))
    }
}
