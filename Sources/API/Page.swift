import Crypto
import Domain
import HTTP

/// The part of a list that is asked for: so many items after a place that only the list itself can read.
package struct Page: Sendable {
    package static let limits = 1...200
    package static let usualLimit = 50

    let limit: Int
    /// The sort key of the last item before the page; nil at the beginning.
    package let after: [String]?

    /// One more than the limit is fetched, to see whether there is a next page.
    package var fetched: Int32 { Int32(limit + 1) }

    /// The place after which the page begins, in a list that is ordered by id alone.
    package func afterID() throws -> ID? {
        guard let after else { return nil }
        guard after.count == 1, let id = ID(after[0]) else { throw Self.wrongCursor }
        return id
    }

    /// The answer: the page's items, and where the next page begins, if there is one. `next` is where a list goes on
    /// that did not fill the page, and `more` writes what a list says besides.
    package func response<Item>(
        _ fetched: [Item], key: (Item) -> [String], next: [String]? = nil,
        more: (inout JSONWriter) -> Void = { _ in }, write: (inout JSONWriter, Item) -> Void
    ) -> Response {
        let items = fetched.prefix(limit)
        var json = JSONWriter(capacity: 1024 * max(1, fetched.count))
        json.object { json in
            json.array("items", items, write)
            json.field("next_cursor", (fetched.count > limit ? items.last.map(key) : next).map(Self.cursor))
            more(&json)
        }
        return .json(json.bytes)
    }

    private static func cursor(_ key: [String]) -> String {
        Base64URL.encode(JSON.array(key.map(JSON.string)).bytes)
    }

    fileprivate static func read(_ cursor: String) throws -> [String] {
        guard let bytes = Base64URL.decode(cursor), case .array(let parts)? = JSON(bytes) else { throw wrongCursor }
        let key = try parts.map { part in
            guard case .string(let text) = part, !text.utf8.contains(0) else { throw wrongCursor }
            return text
        }
        // A list writes each place in one way.
        guard Self.cursor(key) == cursor else { throw wrongCursor }
        return key
    }

    /// Refuses a text that no list gives as a cursor.
    @Sendable static func check(_ cursor: String) throws(InvalidValue) {
        do { _ = try read(cursor) } catch { throw InvalidValue("invalid_cursor") }
    }

    /// The problem for a cursor that the list did not give.
    package static let wrongCursor = Problem(
        .unprocessable, "validation_failed", fields: [Problem.WrongField("cursor", "invalid_cursor")])
}

extension Page {
    /// The part that a request asks for, of so many items unless it says otherwise.
    package init(_ request: Request, usually usual: Int = usualLimit) throws {
        let after = try request.query("cursor").map { try Self.read($0) }
        self.init(limit: try request.query("limit", in: Self.limits) ?? usual, after: after)
    }
}
