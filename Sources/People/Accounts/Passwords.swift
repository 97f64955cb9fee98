import API
import Crypto
import Domain
import HTTP
import Postgres

/// Hashing passwords, and asking for the present one before something that only its owner may do.
package struct Passwords: Sendable {
    let database: Database
    let hasher: PasswordHasher
    let throttle: Throttle
    private let salts: LoginSalts

    package init(database: Database, hasher: PasswordHasher, throttle: Throttle, secret: ServerSecret) {
        (self.database, self.hasher, self.throttle) = (database, hasher, throttle)
        salts = LoginSalts(secret)
    }

    /// What is kept of the password of somebody who signs in so.
    func hash(_ password: Password, of login: Login?, in turn: PasswordHasher.Turn) async throws -> String {
        try await hasher.hash(password.text, salt: salts.salt(of: login), in: turn)
    }

    /// Refuses anything but the caller's password, and gives what is kept of it. `field` is what the caller calls it.
    package func check(
        _ password: String, as field: String = "current_password", _ call: Call
    ) async throws -> String {
        let account = call.caller.account
        let guesses = Throttle.Bucket("password of", account.description, burst: 10, step: .seconds(60))
        // The right password costs as much to look at as a wrong one.
        let all = Throttle.Bucket("passwords of", account.description, burst: 20, step: .seconds(60))
        try await throttle.take([guesses, all])
        let kept = try await database.run(FindPassword(account: account)).first
        guard let kept, try await hasher.verify(password, against: kept, in: .signedIn(call.request)) else {
            try await call.noteFailure(.passwordFailed, of: account)
            throw Problem.wrongPassword(as: field)
        }
        try await throttle.clear([guesses])
        return kept
    }

    /// The same of somebody who wants a new one; what is wrong with that is told with it.
    func check(_ password: String, for new: Password, of account: Account, _ call: Call) async throws -> String {
        let kept: String
        do {
            kept = try await check(password, call)
        } catch var problem as Problem where problem.code == Problem.wrongPassword().code {
            if new.isPersonal(account.knownWords) { problem.fields += Problem.personalPassword.fields }
            throw problem
        }
        try refusePersonal(new, of: account)
        return kept
    }

    /// Refuses a password that is no more than what others know of the account.
    func refusePersonal(_ password: Password, of account: Account) throws {
        if password.isPersonal(account.knownWords) { throw Problem.personalPassword }
    }
}

extension Problem {
    static func wrongPassword(as field: String = "current_password") -> Problem {
        Problem(.unprocessable, "validation_failed", fields: [WrongField(field, "wrong_password")])
    }
    fileprivate static let personalPassword = Problem(
        .unprocessable, "validation_failed", fields: [WrongField("new_password", "password_too_personal")])
}
