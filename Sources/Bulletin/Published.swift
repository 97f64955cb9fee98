import API
import Domain
import HTTP
import Postgres

/// Something to be read, as it is published.
struct Published: Sendable {
    let id: ID
    /// The store that wrote it, if it was one.
    let store: ID?
    /// What whoever it comes from is called.
    let source: String
    let category, title, text: String
    let link: String?
    let at: Timestamp
    let isUrgent: Bool

    static let categories = ["news", "road", "weather", "store"]
    /// The columns of a bulletin `b`. What a store wrote comes from that store, whatever it is called by now.
    static let columns = """
        b.id, b.store_id, coalesce((SELECT name FROM stores s WHERE s.id = b.store_id), b.source), b.category, b.title, b.text,
        b.link, b.published_at, b.urgent
        """

    init(_ row: inout RowReader) throws {
        (id, store, source) = (try row.read(), try row.read(), try row.read())
        (category, title, text) = (try row.read(), try row.read(), try row.read())
        (link, at, isUrgent) = (try row.read(), try row.read(), try row.read())
    }

    static let shape = Shape.object(
        "Bulletin",
        [
            .init("id", .id), .init("title", .string()), .init("text", .string()), .init("link", Shape.string().orNull),
            .init("source", .string()), .init("store_id", Shape.id.orNull), .init("category", .oneOf(categories)),
            .init("published_at", .time), .init("urgent", .boolean),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("title", title)
        json.field("text", text)
        json.field("link", link)
        json.field("source", source)
        json.field("store_id", store)
        json.field("category", category)
        json.field("published_at", at)
        json.field("urgent", isUrgent)
    }

    func response(_ status: Status = .ok) -> Response {
        var json = JSONWriter()
        json.object(write)
        return .json(json.bytes, status: status)
    }
}

/// What a store tells its couriers.
struct NewBulletin: Form {
    let title, text: String
    let link: String?
    let isUrgent: Bool

    init(_ fields: inout Fields) {
        title = fields.line("title", upTo: Bounds.bulletinTitle)
        text = fields.line("text", upTo: Bounds.bulletinText, by: Texts.paragraph)
        link = fields.optionalLine("link", upTo: Bounds.bulletinLink, by: BulletinLink.taken)
        isUrgent = fields.optional("urgent") ?? false
    }
}

/// The rule for where there is more: a page.
package enum BulletinLink {
    /// Takes an address of a page, with its scheme and host in small letters, so that a page stands once.
    package static func taken(_ text: String, upTo most: Int) throws(InvalidValue) -> String {
        let text = try Texts.line(text, upTo: most)
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts[0].lowercased()
        guard parts.count == 2, ["http", "https"].contains(scheme), !text.contains(where: \.isWhitespace) else {
            throw InvalidValue("invalid_link")
        }
        let authority = parts[1].prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard !host.isEmpty, !host.hasPrefix(":") else { throw InvalidValue("invalid_link") }
        return "\(scheme)://\(authority.dropLast(host.count))\(host.lowercased())\(parts[1].dropFirst(authority.count))"
    }
}
