import API
import Crypto
import Domain
import HTTP

/// The name to sign in with: a store's e-mail address or a courier's number.
enum Login: Sendable {
    case email(EmailAddress)
    case phone(PhoneNumber)

    /// The same for all spellings of one address or number.
    var key: String {
        switch self {
        case .email(let email): email.key
        case .phone(let phone): phone.e164
        }
    }

    /// As it is kept.
    var text: String {
        switch self {
        case .email(let email): email.text
        case .phone(let phone): phone.e164
        }
    }

    /// The channel by which messages reach it.
    var channel: String { if case .email = self { "email" } else { "sms" } }

    /// The problem that somebody else has proven it.
    var taken: Problem { if case .email = self { .emailTaken } else { .phoneTaken } }

    /// One that was kept. An address may begin with a plus as a number does, and a number has no at sign.
    init?(kept text: String) {
        if let email = try? EmailAddress(text) {
            self = .email(email)
        } else if text.hasPrefix("+") {
            self = .phone(PhoneNumber(e164: text))
        } else {
            return nil
        }
    }
}

extension Fields {
    /// Either an e-mail address or a phone number.
    mutating func login() -> Login {
        if let login = optionalLogin() { return login }
        if !refused("email"), !refused("phone") {
            // Who left the one empty that they were asked for is told so there.
            let asked = ["email", "phone"].filter(isGiven)
            if asked.count == 1 { refuse(asked[0], "required") } else { refuse("email", "email_or_phone") }
        }
        return .email(.example)
    }

    /// An e-mail address, a phone number, or nothing.
    mutating func optionalLogin() -> Login? {
        let (email, phone): (EmailAddress?, PhoneNumber?) = (optional("email"), optional("phone"))
        if let email { return .email(email) }
        return phone.map(Login.phone)
    }
}

extension Login {
    /// Who signs in with `$1`, an e-mail address in lower case or a number: who has proven it, else those who say that it is
    /// theirs, whoever used the network `$2` before first, and then whoever has said so for longest. There are few, however many
    /// say so, and of these nobody is pushed out by who comes later.
    static let holdersSQL = """
        SELECT id, is_verified,
            EXISTS (SELECT FROM used_addresses u WHERE u.account_id = id AND u.address = $2) AS is_familiar
        FROM (
            SELECT id, true AS is_verified FROM stores WHERE lower(email) = $1 AND email_verified
            UNION ALL
            SELECT id, true FROM couriers WHERE phone = $1 AND phone_verified
            UNION ALL
            (SELECT id, false FROM stores WHERE lower(email) = $1 AND NOT email_verified ORDER BY id LIMIT 500)
            UNION ALL
            (SELECT id, false FROM couriers WHERE phone = $1 AND NOT phone_verified ORDER BY id LIMIT 500)
        ) holder
        ORDER BY is_verified DESC, is_familiar DESC, id LIMIT 20
        """
    /// The one of them who is meant where nothing else decides.
    static let holderSQL = """
        SELECT id, is_familiar, is_verified FROM (\(holdersSQL)) h ORDER BY is_verified DESC, is_familiar DESC, id LIMIT 1
        """
}

/// The salt of the passwords of all who sign in with the same name. As long as none of them has proven it, one hash tells
/// which of them a password belongs to, if any: the time to sign in is that of one hash, however many there are.
struct LoginSalts: Sendable {
    private let key: [UInt8]

    init(_ secret: ServerSecret) { key = secret.key(for: "password salt") }

    func salt(of login: Login?) -> [UInt8] {
        guard let login else { return SecureRandom.bytes(16) }
        return Array(HMAC.sha256(key: key, Array(login.key.utf8)).prefix(16))
    }
}
