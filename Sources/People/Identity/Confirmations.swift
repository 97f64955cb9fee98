import API
import Crypto
import Domain
import HTTP
import Outbox

/// Proves what people sign in with: by codes that are sent there, and by links to where they signed in with before.
package struct Confirmations: Sendable {
    /// Whether anything must be proven. Otherwise what people say counts as proven.
    package let isOn: Bool
    private let secret: ServerSecret
    private let publicURL: PublicURL
    private let throttle: Throttle

    package init(isOn: Bool, secret: ServerSecret, publicURL: PublicURL, throttle: Throttle) {
        (self.isOn, self.secret, self.publicURL, self.throttle) = (isOn, secret, publicURL, throttle)
    }

    static let minutes = 10

    // MARK: Codes

    /// What limits the codes that an account has sent, and those that are sent to one place, whoever asks.
    func limits(on account: ID, to place: Login) -> [Throttle.Bucket] {
        [
            Throttle.Bucket("codes of", account.description, burst: 5, step: .seconds(600)),
            Throttle.Bucket("codes to", place.key, burst: 5, step: .seconds(3600)),
        ]
    }

    /// Whether a code may go to where somebody registers. It is asked before the transaction of that.
    func maySend(to place: Login, of account: ID) async throws -> Bool {
        guard isOn else { return false }
        return try await throttle.wait(for: limits(on: account, to: place)) == nil
    }

    /// Begins to prove what somebody has registered with. Where the place had too many codes, one can be asked for later.
    func begin(
        _ account: ID, at place: Login, in language: Language, sends: Bool, _ runner: Runner
    ) async throws {
        if !isOn {
            try await runner.run(ProvePlace(account: account, place: place))
        } else if sends {
            try await send(to: place, of: account, in: language, isAsked: false, runner)
        }
    }

    /// Sends a new code to the place that an account is to prove; the one before is void.
    func send(
        to place: Login, of account: ID, in language: Language, isAsked: Bool = true, _ runner: Runner
    ) async throws {
        let code = ConfirmationCode.random(SecureRandom.word())
        let message = Message(
            .confirmationCode, ["code": code.digits, "minutes": String(Self.minutes)],
            data: ["code": .string(code.digits)], lastLine: place.channel == "sms" ? publicURL.lastLine(code) : nil)
        try await runner.run(
            InsertConfirmation(
                account: account, place: place, codeHash: hash(code, account, place.text), language: language,
                message: message, isAsked: isAsked))
    }

    func isRight(_ text: String, _ attempt: TryConfirmation.Row, of account: ID) -> Bool {
        guard let code = ConfirmationCode(text) else { return false }
        return constantTimeEquals(attempt.codeHash, hash(code, account, attempt.place))
    }

    /// The hash has a key, since there are so few codes, and is good for one account and place.
    private func hash(_ code: ConfirmationCode, _ account: ID, _ place: String) -> [UInt8] {
        HMAC.sha256(key: secret.key(for: "confirmation"), Array("\(account) \(code.digits) \(place)".utf8))
    }

    // MARK: Changes

    /// Gives the account what it has proven, and tells it so, with a link at the place before that undoes it.
    func finish(_ account: ID, at place: Login, in language: Language, _ runner: Runner) async throws {
        guard let former = try await runner.run(ProvePlace(account: account, place: place)).first ?? nil else { return }
        let token = Base64URL.encode(SecureRandom.bytes(16))
        let url = "\(publicURL.text)/undo/\(token)"
        try await runner.run(
            KeepFormerPlace(
                tokenHash: TokenHash(token).bytes, account: account, place: former, isPhone: place.channel == "sms",
                language: language,
                undo: Message(
                    .loginChanged, ["url": url, "hours": String(KeepFormerPlace.hours)], data: ["url": .string(url)]),
                message: Message(.loginChanged), isProven: isOn))
    }
}

extension PublicURL {
    /// The line by which phones know for which site a code is, so that they fill it in there and nowhere else.
    func lastLine(_ code: some SentCode) -> String {
        let host = text.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != ":" && $0 != "/" }
        return "@\(host) #\(code.digits)"
    }
}
