import API
import Domain
import HTTP
import Postgres

/// Says when a step happens: when it is asked for, or in a demo at a past time that the request tells.
package struct StepClock: Sendable {
    private let canBeTold: Bool

    /// The clock of a server. It can be told the time if the server is a demo's.
    package init(canBeTold: Bool) { self.canBeTold = canBeTold }

    private static let header: StaticString = "kurir-time"
    private static let year: Int64 = 366 * 86_400_000

    /// The time that the request tells; nil if it tells none.
    func told(by request: Request) throws -> Timestamp? {
        guard let text = request.header(Self.header) else { return nil }
        guard canBeTold else { throw Problem(.forbidden, "forbidden", wording: "time_is_not_told") }
        let now = Timestamp.now.microseconds / 1000
        guard let milliseconds = Int64(text), (now - Self.year...now).contains(milliseconds) else {
            throw Problem(.badRequest, "bad_request", wording: "time_is_not_past")
        }
        return Timestamp(microseconds: milliseconds * 1000)
    }
}
