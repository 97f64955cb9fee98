import Crypto
import HTTP

/// The keys of those who issue health certificates, by their names.
package struct TrustedKeys: Sendable {
    private var keys: [[UInt8]: VerifyingKey] = [:]

    /// What a signature turns out to be.
    enum Verdict {
        case verified
        /// Nobody knows the key.
        case unverified
        case forged
    }

    /// No keys.
    package init() {}

    /// The keys of a file: the names and the keys (SubjectPublicKeyInfo) in base64. Nil if it is anything else.
    package init?(_ text: [UInt8]) {
        guard case .object(let members)? = JSON(text) else { return nil }
        for (name, value) in members {
            guard let id = Base64.decode(name), case .string(let text) = value, let der = Base64.decode(text),
                let key = VerifyingKey(der: der)
            else { return nil }
            keys[id] = key
        }
    }

    package var count: Int { keys.count }

    func verdict(on message: SignedMessage) -> Verdict {
        guard let key = message.keyID.flatMap({ keys[$0] }) else { return .unverified }
        return message.isSigned(by: key) ? .verified : .forged
    }
}
