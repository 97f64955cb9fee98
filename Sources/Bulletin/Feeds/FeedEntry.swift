import Domain

/// An entry of a feed of news, as the bulletin takes it: text alone.
package struct FeedEntry: Equatable, Sendable {
    package let title, text: String
    package let link: String?
    /// As the feed calls it, where there is no link to know it by.
    package let guid: String?
    package let publishedAt: Moment?

    /// What a feed says of an entry, with whatever markup that has; nil if it says nothing.
    init?(_ said: Said) {
        let text = Self.seen(PlainText.paragraph(said.text, upTo: Bounds.bulletinText))
        let title = Self.seen(PlainText.line(said.title, upTo: Bounds.bulletinTitle))
        self.title = title.isEmpty ? Self.seen(PlainText.line(text, upTo: Bounds.bulletinTitle)) : title
        guard !self.title.isEmpty else { return nil }
        self.text = text
        link = Self.link(said.link) ?? (said.isPermalink ? Self.link(said.guid) : nil)
        // What has no name either is known by what it says, on whatever day it is read again.
        guid = link == nil ? Self.name(said.guid) ?? Self.name("\(said.date) \(self.title)") : nil
        publishedAt = FeedDate.moment(said.date)
    }

    /// What a feed says of an entry.
    struct Said {
        var title = ""
        var text = ""
        var link = ""
        var guid = ""
        /// Whether it is also where the entry is found.
        var isPermalink = false
        var date = ""
    }

    /// A text that only looks empty, like a zero-width space, is empty.
    private static func seen(_ text: String) -> String {
        let isEmpty = text.unicodeScalars.allSatisfy {
            $0.properties.isDefaultIgnorableCodePoint || $0.properties.isWhitespace
        }
        return isEmpty ? "" : text
    }

    /// Links lead to pages, and nowhere else.
    private static func link(_ text: String) -> String? {
        try? BulletinLink.taken(PlainText.line(text, upTo: Bounds.bulletinLink + 1), upTo: Bounds.bulletinLink)
    }

    private static func name(_ text: String) -> String? {
        let text = PlainText.line(text, upTo: Bounds.bulletinGUID)
        return text.isEmpty ? nil : text
    }
}

/// A feed of news.
package struct ReadFeed: Sendable {
    /// What it is called.
    package let title: String
    package let entries: [FeedEntry]
    /// The numbers of entries that say nothing, from one on.
    package let empty: [Int]

    /// How many bytes a feed may have.
    package static let mostBytes = 64 << 20

    init(title: String, _ said: [FeedEntry.Said]) {
        self.title = PlainText.line(title, upTo: Bounds.bulletinSource)
        var (entries, empty): ([FeedEntry], [Int]) = ([], [])
        for (place, said) in said.enumerated() {
            if let entry = FeedEntry(said) { entries.append(entry) } else { empty.append(place + 1) }
        }
        (self.entries, self.empty) = (entries, empty)
    }

    /// Reads RSS 2.0, Atom or JSON Feed.
    package init(_ bytes: [UInt8]) throws(FeedError) {
        guard bytes.count <= Self.mostBytes else { throw FeedError("it has more than \(Self.mostBytes >> 20) MiB") }
        let start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        let first = start.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        self = first == UInt8(ascii: "{") ? try JSONFeed.read(Array(start)) : try XMLFeed.read(bytes)
    }
}

/// Why something is no feed.
package struct FeedError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
