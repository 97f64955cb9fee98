import API
import Crypto
import Domain
import HTTP
import Postgres

/// The devices that an account gets push messages on.
package struct DeviceRoom: Room {
    /// The push services that may be in a network of one's own.
    let hosts: Set<String>

    package init(pushHosts: Set<String>) { hosts = pushHosts }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .put, "/v1/me/devices/{token}", for: .signedIn, "Registers a device for the account", room: "Devices",
                takes: DeviceClaim.self, answers: [.noContent], refuses: [Self.badEndpoint]
            ) { call, form in
                let token = try Self.token(of: call.request)
                if let endpoint = form.subscription?.endpoint { try check(endpoint) }
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

    /// Nobody has Kurir send something to an address or a name that means something only here.
    private func check(_ endpoint: PushEndpoint) throws {
        guard !hosts.contains(endpoint.host) else { return }
        let isPublic = IPAddress(endpoint.host)?.isPublic ?? endpoint.isNamedPublicly
        guard isPublic else { throw Self.badEndpoint }
    }

    private static let badEndpoint = Problem(
        .unprocessable, "bad_endpoint", fields: [.init("endpoint", "bad_endpoint")])
}

/// The push service of a device, and for web push what `PushSubscription.toJSON()` gives.
struct DeviceClaim: Form {
    let platform: Platform
    /// Where messages to a browser go, and how they are encrypted.
    let subscription: Subscription?

    struct Subscription: Sendable {
        let endpoint: PushEndpoint
        let p256dh, auth: String

        /// The keys that are kept beside the endpoint.
        var keys: JSONB { JSONB(utf8: JSON.object(["p256dh": .string(p256dh), "auth": .string(auth)]).bytes) }
    }

    static let ownCodes: Set = ["bad_endpoint"]

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
        let endpoint: PushEndpoint? = fields.optional("endpoint")
        let isWeb = platform == .webpush && !fields.refused("platform")
        let keys = fields.object("keys", isRequired: isWeb) { (fields: inout Fields) in
            let p256dh = fields.optionalLine("p256dh", upTo: Bounds.pushKey)
            let auth = fields.optionalLine("auth", upTo: Bounds.pushSecret)
            if isWeb, p256dh == nil, !fields.refused("p256dh") { fields.refuse("p256dh", "required") }
            if isWeb, auth == nil, !fields.refused("auth") { fields.refuse("auth", "required") }
            return (p256dh, auth)
        }
        guard isWeb else {
            subscription = nil
            return
        }
        if endpoint == nil, !fields.refused("endpoint") { fields.refuse("endpoint", "required") }
        guard let endpoint, let p256dh = keys.0, let auth = keys.1 else {
            subscription = nil
            return
        }
        if PushEncryption(p256dh: p256dh, auth: auth) == nil { fields.refuse("keys", "invalid_value") }
        subscription = Subscription(endpoint: endpoint, p256dh: p256dh, auth: auth)
    }
}

extension PushEndpoint: TextFieldValue {
    package static let shape = Shape.string(
        format: "uri", most: Bounds.deviceTokenBytes, example: "https://push.example/subscription")
    package static var example: PushEndpoint { example("https://push.example/subscription") }
}

/// Gives a device to the account that claims it last.
struct ClaimDevice: Statement {
    static let sql = "SELECT claim_device($1, $2, $3, $4, $5, \(Bounds.devices))"
    let account: ID
    let token: String
    let form: DeviceClaim

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(form.subscription?.endpoint.text ?? token)
        parameters.add(form.platform.rawValue)
        parameters.add(form.subscription?.keys)
        parameters.add(form.subscription == nil ? nil : token)
    }
}

/// Removes a device. There is no row if the account has no such device.
struct DropDevice: Statement {
    static let sql = """
        DELETE FROM devices WHERE account_id = $1 AND coalesce(name, token) = $2 RETURNING true
        """
    let account: ID
    let token: String

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(token)
    }

    static func decode(_ row: inout RowReader) throws -> Bool { try row.read() }
}
