import Crypto
import Domain
import HTTP
import Postgres

/// The part of a list that is asked for: so many items after a place that only the list itself can read.
package struct Page: Sendable {
    package static let limits = 1...200
    package static let usualLimit = 50

    let limit: Int
    /// The sort key of the last item before the page; nil at the beginning.
    package let after: [String]?
    /// A short name of the list. It stands in each cursor, since a place in one list is none in another.
    let list: String

    /// One more than the limit is fetched, to see whether there is a next page.
    package var fetched: Int32 { Int32(limit + 1) }

    /// The place after which the page begins, in a list that is ordered by id alone.
    package func afterID() throws -> ID? {
        guard let after else { return nil }
        guard after.count == 1, let id = ID(after[0]) else { throw Self.wrongCursor }
        return id
    }

    /// A time in the place after which a page begins, in microseconds as lists write it: one that the database can have, too.
    package static func time(_ text: String) throws -> Timestamp {
        guard let time = Int64(text), ((-1 << 57)...(1 << 58)).contains(time) else { throw wrongCursor }
        return Timestamp(microseconds: time)
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
            json.field("next_cursor", (fetched.count > limit ? items.last.map(key) : next).map(cursor))
            more(&json)
        }
        return .json(json.bytes)
    }

    private func cursor(_ key: [String]) -> String { Self.cursor([list] + key) }

    private static func cursor(_ parts: [String]) -> String {
        Base64URL.encode(JSON.array(parts.map(JSON.string)).bytes)
    }

    /// The name of a list, and a place in it.
    fileprivate static func read(_ cursor: String) throws -> [String] {
        guard let bytes = Base64URL.decode(cursor), case .array(let values)? = JSON(bytes) else { throw wrongCursor }
        let parts = try values.map { value in
            guard case .string(let text) = value, !text.utf8.contains(0) else { throw wrongCursor }
            return text
        }
        // A list writes each place in one way.
        guard Self.cursor(parts) == cursor else { throw wrongCursor }
        return parts
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
        let list = Self.name(ofListAt: request.path)
        let after = try request.query("cursor").map { cursor in
            let parts = try Self.read(cursor)
            guard parts.first == list else { throw Self.wrongCursor }
            return Array(parts.dropFirst())
        }
        self.init(limit: try request.query("limit", in: Self.limits) ?? usual, after: after, list: list)
    }

    /// Long enough that no two lists of an account have the same.
    static func name(ofListAt path: String) -> String {
        Base64URL.encode(Array(SHA256.hash(path).prefix(6)))
    }
}
