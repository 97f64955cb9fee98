import API
import Domain
import HTTP
import Postgres

/// The devices that an account gets push messages on.
package struct DeviceRoom: Room {
    package init() {}

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .put, "/v1/me/devices/{token}", for: .signedIn, "Registers a device for the account", room: "Devices",
                takes: DeviceClaim.self, answers: [.noContent]
            ) { call, form in
                let token = try Self.token(of: call.request)
                try await call.run(ClaimDevice(account: call.caller.account, token: token, form: form))
                return Response(.noContent)
            },
            Endpoint(
                .delete, "/v1/me/devices/{token}", for: .signedIn, "Removes a device from the account", room: "Devices",
                answers: [.noContent], refuses: [.notFound, .validationFailed]
            ) { call in
                let token = try Self.token(of: call.request)
                let dropped = try await call.run(DropDevice(account: call.caller.account, token: token))
                guard dropped.first != nil else { throw Problem.notFound }
                return Response(.noContent)
            },
        ]
    }

    private static func token(of request: Request) throws -> String {
        let token: String = try request.parameter("token")
        guard let line = try? Texts.line(token, upTo: Bounds.deviceTokenBytes), line == token,
            token.utf8.count <= Bounds.deviceTokenBytes
        else {
            throw Problem(.unprocessable, "validation_failed", fields: [.init("token", "invalid_value")])
        }
        return token
    }
}

/// The push service of a device, and for web push the keys that encrypt messages to it.
struct DeviceClaim: Form {
    let platform: Platform
    let p256dh: String?
    let auth: String?

    enum Platform: String, CaseIterable, FieldValue {
        case apns, fcm, webpush
        static let shape = Shape.oneOf(allCases.map(\.rawValue), named: "Platform")
        static var example: Platform { .fcm }

        init(field: JSON) throws(InvalidValue) {
            guard let platform = Platform(rawValue: try Fields.text(field)) else { throw InvalidValue("invalid_value") }
            self = platform
        }
    }

    init(_ fields: inout Fields) {
        platform = fields.required("platform")
        p256dh = fields.optionalLine("p256dh", upTo: Bounds.pushKey)
        auth = fields.optionalLine("auth", upTo: Bounds.pushSecret)
        guard platform == .webpush else { return }
        if p256dh == nil, !fields.refused("p256dh") { fields.refuse("p256dh", "required") }
        if auth == nil, !fields.refused("auth") { fields.refuse("auth", "required") }
    }

    /// The keys that are kept beside the token.
    var keys: JSONB? {
        guard platform == .webpush, let p256dh, let auth else { return nil }
        return JSONB(utf8: JSON.object(["p256dh": .string(p256dh), "auth": .string(auth)]).bytes)
    }
}

/// Gives a device to the account that claims it last. An account has ten: one more drops the one that
/// was claimed longest ago, and a device is claimed anew whenever its app starts.
struct ClaimDevice: Statement {
    static let sql = """
        WITH surplus AS (
            DELETE FROM devices WHERE token IN (
                SELECT token FROM devices WHERE account_id = $1 AND token <> $2 ORDER BY claimed_at DESC OFFSET \(Bounds.devices - 1)))
        INSERT INTO devices (account_id, token, platform, keys) VALUES ($1, $2, $3, $4)
        ON CONFLICT (token) DO UPDATE
        SET (account_id, platform, keys, claimed_at) = (EXCLUDED.account_id, EXCLUDED.platform, EXCLUDED.keys, now())
        """
    let account: ID
    let token: String
    let form: DeviceClaim

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(token)
        parameters.add(form.platform.rawValue)
        parameters.add(form.keys)
    }
}

/// Removes a device. There is no row if the account has no such device.
struct DropDevice: Statement {
    static let sql = "DELETE FROM devices WHERE account_id = $1 AND token = $2 RETURNING true"
    let account: ID
    let token: String

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(token)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
