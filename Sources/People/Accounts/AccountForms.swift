import API
import Domain
import HTTP

/// The registration of a store.
struct StoreRegistration: Form {
    let email: EmailAddress
    let password: Password
    let name: String
    let taxID: TaxID
    let address: String
    let phone: PhoneNumber
    let language: Language?
    let cookie: Bool

    init(_ fields: inout Fields) {
        email = fields.required("email")
        password = fields.newPassword()
        name = fields.line("name", upTo: Bounds.storeName)
        taxID = fields.required("tax_id")
        address = fields.line("address", upTo: Bounds.address)
        phone = fields.required("phone")
        language = fields.optional("language")
        cookie = fields.optional("cookie") ?? false
    }
}

/// The registration of a courier.
struct CourierRegistration: Form {
    let firstName: String
    let lastName: String
    let phone: PhoneNumber
    let password: Password
    let inviteCode: String?
    let language: Language?
    let cookie: Bool

    init(_ fields: inout Fields) {
        firstName = fields.line("first_name", upTo: Bounds.name)
        lastName = fields.line("last_name", upTo: Bounds.name)
        phone = fields.required("phone")
        password = fields.newPassword()
        inviteCode = fields.optional("invite_code")
        language = fields.optional("language")
        cookie = fields.optional("cookie") ?? false
    }
}

/// A change of an account. Fields that are left out stay as they are, and fields of the other kind of account are
/// ignored like unknown ones.
struct AccountChange: Form {
    let email: EmailAddress?
    let name: String?
    let taxID: TaxID?
    let address: String?
    let firstName: String?
    let lastName: String?
    let phone: PhoneNumber?
    let language: Language?
    let notificationsEnabled: Bool?

    init(_ fields: inout Fields) {
        email = fields.change("email")
        name = fields.changedLine("name", upTo: Bounds.storeName)
        taxID = fields.change("tax_id")
        address = fields.changedLine("address", upTo: Bounds.address)
        firstName = fields.changedLine("first_name", upTo: Bounds.name)
        lastName = fields.changedLine("last_name", upTo: Bounds.name)
        phone = fields.change("phone")
        language = fields.change("language")
        notificationsEnabled = fields.change("notifications_enabled")
    }
}

/// A new password, and the present one as proof.
struct PasswordChange: Form {
    let current: String
    let new: Password

    init(_ fields: inout Fields) {
        current = fields.required("current_password")
        new = fields.required("new_password")
    }
}

/// A request for a code, by somebody who forgot the password.
struct PasswordResetRequest: Form {
    let login: Login

    init(_ fields: inout Fields) {
        login = fields.login()
    }
}

/// A new password, and the code as proof.
struct PasswordReset: Form {
    let login: Login
    let code: String
    let new: Password

    init(_ fields: inout Fields) {
        login = fields.login()
        code = fields.required("code")
        new = fields.required("new_password")
    }
}

extension Fields {
    /// A password, perhaps with a second field to confirm it.
    fileprivate mutating func newPassword() -> Password {
        let password: Password = required("password")
        if let confirmation: String = optional("password_confirmation"), confirmation != password.text,
            !refused("password")
        {
            refuse("password_confirmation", "password_mismatch")
        }
        return password
    }
}
