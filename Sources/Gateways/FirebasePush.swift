import Crypto
import Curl
import Glibc
import HTTP

/// Push to Android by Firebase Cloud Messaging's HTTP v1.
struct FirebasePush: Provider {
    private let base: String
    private let account: ServiceAccount
    private var access: (token: String, until: Int)?

    private let certificates: String?

    /// `guarded` refuses a URL that may not be used.
    init(
        base: String, credentials: [UInt8], trusting certificates: String?, guarded: (String) throws -> String
    ) throws {
        self.base = base
        self.certificates = certificates
        account = try ServiceAccount(credentials)
        _ = try guarded(account.tokenURL)
    }

    /// An access token lasts an hour, and is fetched anew in its last five minutes.
    mutating func prepare() throws {
        let now = time(nil)
        if let access, now < access.until - 300 { return }
        var request = account.tokenRequest(at: now)
        request.certificates = certificates
        // Nothing else is sent meanwhile.
        request.patience = 3000
        let reply = Transfers<Void>().perform(request)
        guard reply.status == 200, let answer = reply.json, let token = answer["access_token"]?.text else {
            throw GatewayError("no access token from \(account.tokenURL): \(reply.complaint)")
        }
        access = (token, now + (answer["expires_in"]?.number ?? 3600))
    }

    func transfer(of message: Claimed) -> Transfer {
        var json = JSONWriter()
        json.object { json in
            json.object("message") { json in
                json.field("token", message.address)
                json.object("notification") { json in
                    json.field("title", message.title)
                    json.field("body", message.body)
                }
                json.object("data") { json in
                    json.field("message_id", message.id)
                    for field in message.fields { json.field(name: field.name, field.text) }
                }
            }
        }
        var transfer = Transfer("\(base)/v1/projects/\(account.project)/messages:send", json.bytes)
        transfer.headers = [
            ("Content-Type", "application/json"), ("Authorization", "Bearer \(access?.token ?? "")"),
        ]
        return transfer
    }

    func verdict(on reply: Transfer.Reply) -> Verdict {
        switch reply.status {
        case 200: .done
        // Any other 404 means that the project does not exist, not that the device is gone.
        case 404 where Self.errorCodes(reply).contains("UNREGISTERED"): .unregistered(reply.complaint)
        case 400: .never(reply.complaint)
        default: reply.passing
        }
    }

    private static func errorCodes(_ reply: Transfer.Reply) -> [String] {
        guard case .array(let details)? = reply.json?["error"]?["details"] else { return [] }
        return details.compactMap { $0["errorCode"]?.text }
    }
}

/// Google's service account, as its key file has it.
private struct ServiceAccount: Sendable {
    let project, email, tokenURL: String
    private let key: PrivateKey

    init(_ file: [UInt8]) throws {
        guard let json = JSON(file), let project = json["project_id"]?.text, let email = json["client_email"]?.text,
            let pem = json["private_key"]?.text, let key = PrivateKey(pem: pem)
        else { throw GatewayError("the credentials are not a service account's key file") }
        self.project = project
        self.email = email
        self.key = key
        tokenURL = json["token_uri"]?.text ?? "https://oauth2.googleapis.com/token"
    }

    func tokenRequest(at now: Int) -> Transfer {
        var claims = JSONWriter()
        claims.object { json in
            json.field("iss", email)
            json.field("scope", "https://www.googleapis.com/auth/firebase.messaging")
            json.field("aud", tokenURL)
            json.field("iat", now)
            json.field("exp", now + 3600)
        }
        let assertion = JSONWebToken.make(key, claims.bytes)
        var transfer = Transfer(
            tokenURL,
            Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8))
        transfer.headers = [("Content-Type", "application/x-www-form-urlencoded")]
        return transfer
    }
}
