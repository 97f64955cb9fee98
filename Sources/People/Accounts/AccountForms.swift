import API
import Domain
import HTTP

/// The registration of a store.
struct StoreRegistration: Form {
    let email: EmailAddress
    let password: Password
    let name: String
    let country: Country
    let taxID: String
    let address: String
    let phone: PhoneNumber
    let language: Language?
    let cookie: Bool

    init(_ fields: inout Fields) {
        email = fields.required("email")
        password = fields.newPassword()
        name = fields.line("name", upTo: Bounds.storeName)
        country = fields.optional("country") ?? .croatia
        taxID = fields.taxID(in: fields.refused("country") ? nil : country)
        address = fields.line("address", upTo: Bounds.address)
        phone = fields.required("phone")
        language = fields.optional("language")
        cookie = fields.optional("cookie") ?? false
        fields.refusePersonal(password, [name, email.text, phone.e164])
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
        phone = fields.required("phone", as: MobileNumber.self).phone
        password = fields.newPassword()
        inviteCode = fields.optional("invite_code")
        language = fields.optional("language")
        cookie = fields.optional("cookie") ?? false
        fields.refusePersonal(password, [firstName, lastName, "\(firstName) \(lastName)", phone.e164])
    }
}

/// A change of an account. Fields that are left out stay as they are, and fields of the other kind of account are
/// ignored like unknown ones. What one signs in with is not changed here.
struct AccountChange: Form {
    let email: EmailAddress?
    let name: String?
    let country: Country?
    /// As it was written: which country's it is may only be known from the account.
    let taxID: String?
    let address: String?
    let firstName: String?
    let lastName: String?
    let phone: PhoneNumber?
    let language: Language?
    let notificationsEnabled: Bool?
    let alertAfterMinutes: Int?
    let proof: WantedProof
    let turns: OfferTurns??
    let location: Location??
    let tellsRecipients: Bool?
    let openingHours: String??
    let sharing: PositionSharing?
    let wants: WantedPapers?
    let picture: ID??
    let description: String??
    let isPublic: Bool?

    init(_ fields: inout Fields) {
        email = fields.change("email")
        name = fields.changedLine("name", upTo: Bounds.storeName)
        country = fields.change("country")
        taxID = fields.changedLine("tax_id", upTo: Bounds.taxID)
        address = fields.changedLine("address", upTo: Bounds.address)
        firstName = fields.changedLine("first_name", upTo: Bounds.name)
        lastName = fields.changedLine("last_name", upTo: Bounds.name)
        phone = fields.change("phone")
        language = fields.change("language")
        notificationsEnabled = fields.change("notifications_enabled")
        alertAfterMinutes = fields.optionalNumber("alert_after_minutes", StoreProfile.alertAfter)
        proof = fields.proof()
        turns = fields.changedOffer()
        location = fields.erasable("location") { $0.optional("location") }
        tellsRecipients = fields.change("tell_recipients")
        openingHours = fields.erasable("opening_hours") {
            $0.optionalLine("opening_hours", upTo: Bounds.address, by: Texts.paragraph)
        }
        sharing = fields.change("share_position")
        wants = fields.change("wants")
        picture = fields.erasable("picture") { $0.optional("picture") }
        description = fields.erasable("description") {
            $0.optionalLine("description", upTo: Bounds.description, by: Texts.paragraph)
        }
        isPublic = fields.change("public_profile")
    }
}

extension AccountChange {
    /// Whether it would change what the account signs in with.
    func changesLogin(of account: Account) -> Bool {
        switch account.profile {
        case .store(let store): email.map { $0.text != store.email } ?? false
        case .courier(let courier, _): phone.map { $0.e164 != courier.phone } ?? false
        }
    }

    /// The number for taxes that a store has afterwards, if it says anything of that.
    func taxID(of store: StoreProfile) throws -> TaxID? {
        guard taxID != nil || country != nil else { return nil }
        do {
            return try TaxID(taxID ?? store.taxID.number, in: country ?? store.taxID.country)
        } catch {
            throw Problem(
                .unprocessable, "validation_failed",
                fields: [Problem.WrongField("tax_id", error.code, arguments: error.arguments)])
        }
    }
}

extension PositionSharing: TextFieldValue {
    package static let shape = Shape.oneOf(allCases.map(\.rawValue), named: "PositionSharing")
    package static var example: PositionSharing { .carrying }
    package init(_ text: String) throws(InvalidValue) {
        guard let sharing = PositionSharing(rawValue: text) else { throw InvalidValue("invalid_value") }
        self = sharing
    }
}

/// Whether a courier wants offers, and until when.
struct DutyForm: Form {
    let isOn: Bool
    let until: Moment?

    init(_ fields: inout Fields) {
        isOn = fields.required("on")
        until = fields.optional("until")
        if let fault = until?.fault(now: .now) { fields.refuse("until", fault) }
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

/// A new password, and the code as proof. Without the id of the request for it, any live code of the account is taken.
struct PasswordReset: Form {
    let id: ID?
    let login: Login?
    let code: String
    let new: Password

    init(_ fields: inout Fields) {
        id = fields.optional("reset_id")
        login = id == nil && !fields.refused("reset_id") ? fields.login() : fields.optionalLogin()
        code = fields.required("code")
        new = fields.required("new_password")
    }
}

extension Fields {
    /// A number for taxes; of an unknown country, any.
    fileprivate mutating func taxID(in country: Country?) -> String {
        line("tax_id", upTo: Bounds.taxID, example: "12345678903") { text, most throws(InvalidValue) in
            guard let country else { return text }
            return try TaxID(try Texts.line(text, upTo: most), in: country).number
        }
    }

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

    /// Refuses a password that is no more than what others know.
    fileprivate mutating func refusePersonal(_ password: Password, _ words: [String]) {
        if !refused("password"), password.isPersonal(words) { refuse("password", "password_too_personal") }
    }
}
