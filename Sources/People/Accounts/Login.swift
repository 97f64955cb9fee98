import API
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
}

extension Fields {
    /// Either an e-mail address or a phone number.
    mutating func login() -> Login {
        let (email, phone): (EmailAddress?, PhoneNumber?) = (optional("email"), optional("phone"))
        if let email { return .email(email) }
        if let phone { return .phone(phone) }
        if !refused("email"), !refused("phone") { refuse("email", "email_or_phone") }
        return .email(.example)
    }
}

extension Login {
    /// The account that signs in with `$1`, an e-mail address in lower case or a number.
    static let accountSQL = """
        SELECT id FROM stores WHERE lower(email) = $1 UNION ALL SELECT id FROM couriers WHERE phone = $1
        """
}
