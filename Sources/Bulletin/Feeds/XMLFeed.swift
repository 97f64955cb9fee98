import CXML2

/// Reads RSS 2.0 and Atom, by libxml2 and piece by piece, so that nothing is built of what is not wanted.
///
/// A document type ends the reading before any of it is read: without one there are no entities to resolve, and nothing outside is ever
/// asked for. `XMLFeedTests` tries that.
final class XMLFeed {
    private var path: [String] = []
    /// Which elements of the path are feed, entry, and the field whose text is gathered.
    private var (entryDepth, fieldDepth): (Int?, Int?) = (nil, nil)
    private var field: Field?
    private var gathered: [UInt8] = []
    private var said = FeedEntry.Said()
    private var isKnown = false
    private var title = ""
    private var entries: [FeedEntry.Said] = []
    /// Why the reading ended, if it was not libxml2's doing.
    private var fault: FeedError?
    private var parser: xmlParserCtxtPtr?

    /// How deep elements may stand in each other.
    private static let deepest = 64
    /// How long it may take.
    private static let longest = Duration.seconds(60)
    /// How many bytes of a field are looked at.
    private static let mostOfField = 256 << 10
    private static let piece = 1 << 16

    private enum Field { case title, text, summary, link, guid, date, otherDate, feedTitle }

    static func read(_ bytes: [UInt8]) throws(FeedError) -> ReadFeed {
        let feed = XMLFeed()
        try feed.parse(bytes)
        guard feed.isKnown else { throw FeedError("it is neither RSS 2.0 nor Atom nor JSON Feed") }
        return ReadFeed(title: feed.title, feed.entries)
    }

    private func parse(_ bytes: [UInt8]) throws(FeedError) {
        var handler = Self.handler()
        let owner = Unmanaged.passUnretained(self).toOpaque()
        // The first bytes tell the encoding.
        let first = bytes.prefix(4).map(CChar.init(bitPattern:))
        guard let context = xmlCreatePushParserCtxt(&handler, owner, first, Int32(first.count), nil) else {
            throw FeedError("there is no memory to read it")
        }
        parser = context
        defer {
            parser = nil
            xmlFreeParserCtxt(context)
        }
        xmlCtxtUseOptions(context, Int32(XML_PARSE_NONET.rawValue))
        let clock = ContinuousClock()
        let end = clock.now + Self.longest
        var place = first.count
        repeat {
            let next = min(place + Self.piece, bytes.count)
            let result = bytes[place..<next].withUnsafeBytes {
                xmlParseChunk(
                    context, $0.bindMemory(to: CChar.self).baseAddress, Int32(next - place), next == bytes.count ? 1 : 0
                )
            }
            if let fault { throw fault }
            guard result == 0 else { throw Self.refusal(context) }
            guard clock.now < end else { throw FeedError("reading it takes too long") }
            place = next
        } while place < bytes.count
    }

    private static func refusal(_ context: xmlParserCtxtPtr) -> FeedError {
        guard let error = xmlCtxtGetLastError(context)?.pointee else { return FeedError("it is no XML") }
        let message = error.message.map { PlainText.line(String(cString: $0), upTo: 200) } ?? "it is no XML"
        return FeedError("line \(error.line): \(message)")
    }

    // MARK: What libxml2 tells

    private static func handler() -> xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.internalSubset = { context, _, _, _ in XMLFeed.of(context).refuseTypes() }
        handler.startElementNs = { context, name, _, space, _, _, count, _, attributes in
            guard let name else { return }
            XMLFeed.of(context).begin(
                XMLFeed.name(String(cString: name), in: space.map { String(cString: $0) }),
                XMLFeed.attributes(attributes, Int(count)))
        }
        handler.endElementNs = { context, _, _, _ in XMLFeed.of(context).end() }
        handler.characters = { context, text, count in XMLFeed.of(context).take(text, count) }
        handler.cdataBlock = { context, text, count in XMLFeed.of(context).take(text, count) }
        return handler
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLFeed {
        Unmanaged<XMLFeed>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Elements of other vocabularies are called so that none of them is taken for one of a feed.
    private static func name(_ local: String, in space: String?) -> String {
        switch space {
        case nil, "", "http://www.w3.org/2005/Atom", "http://backend.userland.com/rss2": local
        case "http://purl.org/rss/1.0/modules/content/": "content:" + local
        case "http://purl.org/dc/elements/1.1/": "dc:" + local
        default: "other:" + local
        }
    }

    /// Each attribute is five pointers: its name, two for its vocabulary, and where its value begins and ends.
    private static func attributes(_ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ count: Int) -> [String:
        String]
    {
        guard let list else { return [:] }
        var found: [String: String] = [:]
        for place in 0..<count {
            guard let name = list[5 * place], let start = list[5 * place + 3], let end = list[5 * place + 4] else {
                continue
            }
            let value = UnsafeBufferPointer(start: start, count: min(end - start, 4096))
            found[String(cString: name)] = String(decoding: value, as: UTF8.self)
        }
        return found
    }

    // MARK: The feed

    private func refuse(_ why: String) {
        fault = fault ?? FeedError(why)
        xmlStopParser(parser)
    }

    private func refuseTypes() { refuse("it has a document type, which feeds do not need") }

    private func begin(_ name: String, _ attributes: [String: String]) {
        guard fault == nil else { return }
        path.append(name)
        guard path.count <= Self.deepest else { return refuse("its elements stand too deep in each other") }
        if fieldDepth != nil {
            // Markup within a text parts its words.
            gathered.append(UInt8(ascii: " "))
        } else if let entryDepth {
            if path.count == entryDepth + 1 { beginField(name, attributes) }
        } else if path == ["rss", "channel", "item"] || path == ["feed", "entry"] {
            (entryDepth, said) = (path.count, FeedEntry.Said())
        } else if path == ["rss", "channel", "title"] || path == ["feed", "title"] {
            gather(.feedTitle)
        } else if path == ["rss", "channel"] || path == ["feed"] {
            isKnown = true
        }
    }

    private func beginField(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "title": gather(.title)
        case "description", "summary": gather(.summary)
        case "content", "content:encoded": gather(.text)
        case "guid", "id":
            // Of RSS, unless it says otherwise.
            said.isPermalink = name == "guid" && attributes["isPermaLink"] != "false"
            gather(.guid)
        case "pubDate", "published": gather(.date)
        case "dc:date", "updated": gather(.otherDate)
        case "link":
            if path[0] == "rss" {
                gather(.link)
            } else if said.link.isEmpty, ["alternate", nil].contains(attributes["rel"]) {
                said.link = PlainText.references(in: attributes["href"] ?? "")
            }
        default: break
        }
    }

    private func gather(_ field: Field) {
        (self.field, fieldDepth) = (field, path.count)
        gathered.removeAll(keepingCapacity: true)
    }

    private func take(_ text: UnsafePointer<xmlChar>?, _ count: Int32) {
        guard fieldDepth != nil, let text else { return }
        let room = Self.mostOfField - gathered.count
        gathered.append(contentsOf: UnsafeBufferPointer(start: text, count: min(Int(count), max(0, room))))
    }

    private func end() {
        guard fault == nil else { return }
        if fieldDepth == path.count {
            keep(String(decoding: gathered, as: UTF8.self))
            (field, fieldDepth) = (nil, nil)
        } else if entryDepth == path.count {
            entries.append(said)
            entryDepth = nil
        }
        path.removeLast()
    }

    private func keep(_ text: String) {
        switch field {
        case .title: said.title = text
        case .text: said.text = text
        // The whole is told rather than what sums it up.
        case .summary: if said.text.isEmpty { said.text = text }
        case .link: said.link = text
        case .guid: said.guid = text
        case .date: said.date = text
        case .otherDate: if said.date.isEmpty { said.date = text }
        case .feedTitle: if title.isEmpty { title = text }
        case nil: break
        }
    }
}
