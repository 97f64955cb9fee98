import HTTP

/// Reads JSON Feed, versions 1 and 1.1.
enum JSONFeed {
    static func read(_ bytes: [UInt8]) throws(FeedError) -> ReadFeed {
        guard case .object(let feed)? = JSON(bytes) else { throw FeedError("it is no JSON") }
        guard text(feed["version"]).contains("jsonfeed.org/version/"), case .array(let items)? = feed["items"] else {
            throw FeedError("it is JSON, but no JSON Feed")
        }
        return ReadFeed(title: text(feed["title"]), items.map(entry))
    }

    private static func entry(_ item: JSON) -> FeedEntry.Said {
        guard case .object(let item) = item else { return FeedEntry.Said() }
        func first(_ names: String...) -> String { names.lazy.map { text(item[$0]) }.first { !$0.isEmpty } ?? "" }
        let markup = text(item["content_html"])
        return FeedEntry.Said(
            title: text(item["title"]),
            text: markup.isEmpty ? PlainText.asMarkup(first("content_text", "summary")) : markup,
            link: first("url", "external_url"), guid: text(item["id"]), date: first("date_published", "date_modified"))
    }

    private static func text(_ json: JSON?) -> String {
        if case .string(let text)? = json { text } else { "" }
    }
}
