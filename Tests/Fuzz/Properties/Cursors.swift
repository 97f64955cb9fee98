import API
import Crypto
import Deliveries
import Domain
import Feed
import HTTP
import Outbox
import People
import Postgres

@testable import API
@testable import Deliveries
@testable import Feed
@testable import HTTP
@testable import Outbox
@testable import People

extension Property {
    /// The places at which lists and feeds go on. What is read of one is written the same, so that each place has one
    /// cursor; every other text is refused as a wrong cursor, and nothing else comes of it.
    static let cursors = Property("cursors") { bytes in
        let text = bytes.text
        try listed(text)
        // Most texts encode nothing, and of what they encode most is of no list, so that the inside is tried by itself.
        try listed(Base64URL.encode(bytes))
        try listed(Base64URL.encode("[\"\(Page.name(ofListAt: "/"))\",".bytes + bytes.dropFirst()))
        if let place = FeedPlace(text) {
            try require(place.cursor.bytes, is: text.bytes, "the feed's place")
            try require(place.number >= 0 && FormerCursor(text) == nil, "two kinds of place")
            _ = place.numberedAt.text
        }
        if let former = FormerCursor(text) {
            try require(former.transaction >= 0 && former.event >= 0, "before the beginning")
        }
        if let decoded = Base64URL.decode(text) { try require(Base64URL.encode(decoded), is: text, "Base64URL") }
    }

    private static let account = ID(high: 1, low: 2)
    private static let caller = Caller(account: account, kind: .store, session: account, language: .fallback)

    private static func listed(_ cursor: String) throws {
        let request = try Request.made(query: [("limit", "7"), ("cursor", cursor)])
        // Control characters are refused before anybody asks for a page.
        guard request.query("cursor") != nil, let page = try refusable({ try Page(request) }) else { return }
        try require(page.limit, is: 7, "the limit")
        guard let key = page.after else { throw Broken(description: "the cursor is not heard") }
        let item = page.response([key, key, key, key, key, key, key, key], key: \.self) { _, _ in }
        guard case .bytes(let body, _) = item.body, case .object(let members)? = JSON(body) else {
            throw Broken(description: "no page")
        }
        try require(members["next_cursor"] == .string(cursor), "read as \(key) and written otherwise")
        try keyed(page, request)
    }

    /// Every list that may be asked to go on there.
    private static func keyed(_ page: Page, _ request: Request) throws {
        _ = try refusable { try page.afterID() }
        _ = try refusable { try ListedDeliveries(request, for: caller) }
        _ = try refusable { try ListHistory(delivery: account, page: page, hasStore: true) }
        _ = try refusable { try ListDead(channels: [], page: page) }
        _ = try refusable { try ListStores(courier: account, page: page) }
        for sort in CourierSort.allCases {
            _ = try refusable { try ListedCouriers(of: account, page, isPartner: nil, sort: sort) }
        }
    }

    /// Nil for a cursor that is refused. Every other error goes on.
    private static func refusable<Value>(_ read: () throws -> Value) throws -> Value? {
        do {
            return try read()
        } catch let problem as Problem where problem.fields.map(\.code) == ["invalid_cursor"] {
            return nil
        }
    }
}
