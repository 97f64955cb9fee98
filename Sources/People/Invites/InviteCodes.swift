import API
import Crypto
import Domain

/// The codes of invites. A code is derived from the invite's id and the server's secret, so that it can be shown again
/// although only its hash is kept.
package struct InviteCodes: Sendable {
    private let making: [UInt8]
    private let hashing: [UInt8]
    private let publicURL: PublicURL

    package init(secret: ServerSecret, publicURL: PublicURL) {
        making = secret.key(for: "invite code")
        hashing = secret.key(for: "invite code hash")
        self.publicURL = publicURL
    }

    func code(of invite: ID) -> InviteCode {
        let bytes = HMAC.sha256(key: making, Array(invite.description.utf8))
        return .random(bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    package func hash(_ code: InviteCode) -> [UInt8] {
        HMAC.sha256(key: hashing, Array(code.canonical.utf8))
    }

    /// The link that opens the app or the page.
    package func url(_ code: InviteCode) -> String { "\(publicURL.text)/i/\(code.shown)" }
}
