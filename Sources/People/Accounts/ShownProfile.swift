import API
import Domain
import HTTP
import Postgres

/// What an account shows of itself: to its partners, and to all stores if it wants.
struct ShownProfile: Sendable {
    let picture: ID?
    let description: String?
    let isPublic: Bool

    static let members: [Shape.Member] = seen + [.init("public_profile", .boolean)]
    /// Those that others see.
    static let seen: [Shape.Member] = [
        .init("picture", Shape.id.orNull), .init("description", Shape.string().orNull),
    ]

    func write(_ json: inout JSONWriter) {
        writeSeen(&json)
        json.field("public_profile", isPublic)
    }

    func writeSeen(_ json: inout JSONWriter) {
        json.field("picture", picture)
        json.field("description", description)
    }

    /// Of an account `a`.
    static let columns = "a.picture, a.description, a.public_profile"

    init(_ row: inout RowReader) throws {
        (picture, description, isPublic) = (try row.read(), try row.read(), try row.read())
    }
}

/// Gives the account another picture, or none. One that it cannot show is refused.
struct ShowPicture: Statement {
    static let sql = "SELECT show_picture($1, $2)"
    let account: ID
    let picture: ID?

    func bind(into parameters: inout Parameters) {
        parameters.add(account)
        parameters.add(picture)
    }
}
