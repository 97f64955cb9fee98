import Bulletin
import Domain

extension Property {
    /// A feed of news, which is refused or read; its entries are texts as people may write them, and links to pages.
    static let feeds = Property("feeds") { bytes in
        guard let feed = try? ReadFeed(bytes) else { return }
        try require(feed.title.count <= Bounds.bulletinSource, "the title is too long")
        for entry in feed.entries {
            try require(
                (try? Texts.line(entry.title, upTo: Bounds.bulletinTitle)) == entry.title, "a title: \(entry.title)")
            let text = entry.text.isEmpty ? "" : try? Texts.paragraph(entry.text, upTo: Bounds.bulletinText)
            try require(text == entry.text, "a text: \(entry.text)")
            try require(
                entry.link == nil
                    || (try? BulletinLink.taken(entry.link ?? "", upTo: Bounds.bulletinLink)) == entry.link, "a link")
            try require(entry.link == nil || entry.guid == nil, "a name beside a link")
        }
    }
}
