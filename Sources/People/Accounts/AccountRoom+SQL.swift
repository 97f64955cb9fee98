import API
import Domain
import Postgres

/// Inserts a store, whose e-mail address is still to be proven; refused by `tax_id_taken`. There is no row if somebody has
/// proven the address.
struct InsertStore: Statement {
    static let sql = """
        WITH account AS (
            INSERT INTO accounts (id, kind, password_hash, language, approved) VALUES ($1, 'store', $2, $3, $9) RETURNING id)
        INSERT INTO stores (id, email, email_verified, country, tax_id, name, address, phone)
        SELECT id, $4, false, $10, $5, $6, $7, $8 FROM account
        WHERE NOT EXISTS (SELECT FROM stores WHERE lower(email) = lower($4) AND email_verified)
        RETURNING id
        """
    let id: ID
    let form: StoreRegistration
    let passwordHash: String
    let language: Language
    let isApproved: Bool

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(passwordHash)
        parameters.add(language.rawValue)
        parameters.add(form.email.text)
        parameters.add(form.taxID)
        parameters.add(form.name)
        parameters.add(form.address)
        parameters.add(form.phone.e164)
        parameters.add(isApproved)
        parameters.add(form.country.code)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

/// Inserts a courier, whose number is still to be proven. There is no row if somebody has proven it.
struct InsertCourier: Statement {
    static let sql = """
        WITH account AS (
            INSERT INTO accounts (id, kind, password_hash, language) VALUES ($1, 'courier', $2, $3) RETURNING id)
        INSERT INTO couriers (id, first_name, last_name, phone, phone_verified)
        SELECT id, $4, $5, $6, false FROM account
        WHERE NOT EXISTS (SELECT FROM couriers WHERE phone = $6 AND phone_verified)
        RETURNING id
        """
    let id: ID
    let form: CourierRegistration
    let passwordHash: String
    let language: Language

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(passwordHash)
        parameters.add(language.rawValue)
        parameters.add(form.firstName)
        parameters.add(form.lastName)
        parameters.add(form.phone.e164)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}

/// Columns whose parameter is null stay as they are, here and in the two below.
struct UpdateAccount: Statement {
    static let sql = """
        UPDATE accounts SET language = coalesce($2, language),
            notifications_enabled = coalesce($3, notifications_enabled),
            description = CASE WHEN $4 THEN $5 ELSE description END, public_profile = coalesce($6, public_profile)
        WHERE id = $1
        """
    let id: ID
    let change: AccountChange

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(change.language?.rawValue)
        parameters.add(change.notificationsEnabled)
        parameters.add(change.description != nil)
        parameters.add(change.description ?? nil)
        parameters.add(change.isPublic)
    }
}

struct UpdateStore: Statement {
    static let sql = """
        UPDATE stores SET tax_id = coalesce($2, tax_id), name = coalesce($3, name),
            address = coalesce($4, address), phone = coalesce($5, phone), country = coalesce($6, country),
            alert_after_minutes = coalesce($7, alert_after_minutes), proof_pin = coalesce($8, proof_pin),
            proof_photo = coalesce($9, proof_photo), proof_signature = coalesce($10, proof_signature),
            turn_order = CASE WHEN $11 THEN $12 ELSE turn_order END,
            turn_seconds = CASE WHEN $11 THEN $13 ELSE turn_seconds END,
            lat = CASE WHEN $14 THEN $15 ELSE lat END, lon = CASE WHEN $14 THEN $16 ELSE lon END,
            tell_recipients = coalesce($17, tell_recipients),
            opening_hours = CASE WHEN $18 THEN $19 ELSE opening_hours END,
            wants = coalesce($20, wants)
        WHERE id = $1
        """
    let id: ID
    let change: AccountChange
    let taxID: TaxID?

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(taxID?.number)
        parameters.add(change.name)
        parameters.add(change.address)
        parameters.add(change.phone?.e164)
        parameters.add(taxID?.country.code)
        parameters.add(change.alertAfterMinutes.map(Int16.init))
        parameters.add(change.proof.pin)
        parameters.add(change.proof.photo)
        parameters.add(change.proof.signature)
        parameters.add(change.turns != nil)
        parameters.add(change.turns??.order.rawValue)
        parameters.add((change.turns??.seconds).map(Int16.init))
        parameters.add(change.location != nil)
        parameters.add(change.location??.lat)
        parameters.add(change.location??.lon)
        parameters.add(change.tellsRecipients)
        parameters.add(change.openingHours != nil)
        parameters.add(change.openingHours ?? nil)
        parameters.add(change.wants?.kinds.map(\.rawValue))
    }
}

/// Says whether a courier wants offers; from a time on, perhaps, the other way round. Where it is, is forgotten with its duty, unless
/// it carries something, and offers that have not reached it yet are taken back.
struct SetDuty: Statement {
    static let sql = """
        WITH forgotten AS (
            DELETE FROM positions WHERE courier_id = $1 AND NOT duty_now($2, $3)
                AND NOT EXISTS (SELECT FROM jobs WHERE courier_id = $1 AND status = 'in_progress')),
        untrue AS MATERIALIZED (SELECT withdraw_offers($1) WHERE NOT duty_now($2, $3))
        UPDATE couriers SET on_duty = $2, duty_until = $3,
            duty_since = CASE WHEN duty_now(on_duty, duty_until) THEN on_duty_since(on_duty, duty_until, duty_since) ELSE now() END
        WHERE id = $1 AND (SELECT count(*) FROM untrue) >= 0
        """
    let courier: ID
    let form: DutyForm

    func bind(into parameters: inout Parameters) {
        parameters.add(courier)
        parameters.add(form.isOn)
        parameters.add(form.until.map { Timestamp($0) })
    }
}

struct UpdateCourier: Statement {
    static let sql = """
        UPDATE couriers SET first_name = coalesce($2, first_name), last_name = coalesce($3, last_name),
            share_position = coalesce($4, share_position)
        WHERE id = $1
        """
    let id: ID
    let change: AccountChange

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(change.firstName)
        parameters.add(change.lastName)
        parameters.add(change.sharing?.rawValue)
    }
}
