import API
import Crypto
import Domain
import People
import Postgres

extension Composition {
    /// How people come in and prove who they are, and how often what may be tried.
    struct Entry: Sendable {
        let cookie: SessionCookie
        let authenticator: Authenticator
        let throttle: Throttle
        let rates: Rates
        let codes: InviteCodes
        let redemption: Redemption
        let passwords: Passwords
        let confirmations: Confirmations

        init(_ settings: Settings, _ database: Database, secret: ServerSecret, _ tails: Tails, _ threads: WorkThreads) {
            let publicURL = settings.publicURL
            cookie = SessionCookie(isSecure: publicURL.isSecure)
            authenticator = Authenticator(database, tails.sessions, tails.ear, cookie)
            throttle = Throttle(database, looseness: settings.looseness)
            rates = Rates(database, settings.trust.rates, looseness: settings.looseness)
            codes = InviteCodes(secret: secret, publicURL: publicURL)
            redemption = Redemption(codes: codes)
            passwords = Passwords(database: database, hasher: threads.hasher, throttle: throttle, secret: secret)
            confirmations = Confirmations(
                isOn: settings.verifies, secret: secret, publicURL: publicURL, throttle: throttle)
        }
    }
}
