import API
import Crypto
import Domain
import Postgres

/// The links of recipients. A token is derived from its delivery, the link's number and the server's secret, so that it can be
/// told again although only its hash is kept.
package struct TrackingLinks: Sendable {
    private let making: [UInt8]
    private let hashing: [UInt8]
    private let publicURL: PublicURL

    package init(secret: ServerSecret, publicURL: PublicURL) {
        making = secret.key(for: "tracking token")
        hashing = secret.key(for: "tracking token hash")
        self.publicURL = publicURL
    }

    /// 128 bits that nobody can guess.
    package func token(of delivery: ID, link: Int32) -> String {
        Base64URL.encode(Array(HMAC.sha256(key: making, Array("\(delivery) \(link)".utf8)).prefix(16)))
    }

    package func hash(_ token: String) -> [UInt8] { HMAC.sha256(key: hashing, Array(token.utf8)) }

    /// The link that opens the page.
    package func url(_ token: String) -> String { "\(publicURL.text)/t/\(token)" }
}

/// A delivery's link; no row where there never was one.
package struct FindTracking: Statement {
    package static let sql = "SELECT link, ended FROM trackings WHERE delivery_id = $1"
    package static let isReadOnly = true
    let delivery: ID

    package init(delivery: ID) { self.delivery = delivery }

    package func bind(into parameters: inout Parameters) { parameters.add(delivery) }

    package static func decode(_ row: inout RowReader) throws -> (link: Int32, isEnded: Bool) {
        (try row.read(), try row.read())
    }
}
