import API
import Domain
import HTTP
import Postgres

/// What else the answer of one delivery says, by somebody who knows the place where it goes. It is asked for where an open delivery is read
/// alone, so that nothing else pays for it; and it never waits for anybody far away.
package protocol Surroundings: Sendable {
    /// The member of the answer, and its value.
    var name: StaticString { get }
    var shape: Shape { get }

    /// Notes that somebody will want to know, since a delivery goes there.
    func expect(_ place: Location, due: Timestamp?)
    /// The value as JSON; nil where it does not concern the reader.
    func written(for visit: Visit) async throws -> [UInt8]?
}

/// Somebody who reads a delivery that goes to a place.
package struct Visit: Sendable {
    package let call: Call
    package let place: Location
    package let due: Timestamp?
    /// Whether it is who carries it.
    package let isHolders: Bool
}

extension Surroundings {
    /// Most need no notice.
    package func expect(_ place: Location, due: Timestamp?) {}

    var member: Shape.Member { Shape.Member("\(name)", shape, optional: true) }
}
