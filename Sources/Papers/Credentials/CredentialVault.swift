import API
import Crypto
import Domain
import HTTP
import Postgres

/// Seals credentials with keys that follow from the servers' secret, each for its place alone.
package struct CredentialVault: Sendable {
    private let sealing: SealingKey
    private let hashing: [UInt8]

    package init(_ secret: ServerSecret) {
        sealing = SealingKey(secret.key(for: "credentials"))
        hashing = secret.key(for: "credentials that are the same")
    }

    func seal(_ credential: Credential, of courier: ID, _ id: ID) -> [UInt8] {
        sealing.seal(credential.written, for: Self.context(courier, id))
    }

    func open(_ sealed: [UInt8], of courier: ID, _ id: ID) throws -> Credential {
        guard let bytes = sealing.open(sealed, for: Self.context(courier, id)),
            let credential = Credential(written: bytes)
        else { throw PostgresError.unexpected("a credential that another secret has sealed") }
        return credential
    }

    /// What an export says of one to the courier whose it is.
    package func exported(_ sealed: [UInt8], of courier: ID, _ id: ID) throws -> [String: JSON] {
        let credential = try open(sealed, of: courier, id)
        var members: [String: JSON] = ["raw": .string(credential.raw), "kind": .string(credential.kind.rawValue)]
        members["title"] = credential.stated.map { .string($0.title) }
        members["valid_until"] = credential.stated?.until.map { .string(Timestamp($0).text) }
        return members
    }

    /// The same for the same code of a courier, and for nothing else; without the secret nobody can tell of which.
    func sameness(of raw: String, _ courier: ID) -> [UInt8] {
        HMAC.sha256(key: hashing, Array("\(courier) \(raw)".utf8))
    }

    private static func context(_ courier: ID, _ id: ID) -> [UInt8] { Array("credential \(courier) \(id)".utf8) }
}
