import API
import Bulletin
import Curl
import Domain
import Glibc
import HTTP
import Postgres

/// `kurir bulletin`: what is to be read by everybody.
enum BulletinCommand {
    /// Takes over the entries of a feed that are not there yet, and tells those that cannot be used by their numbers.
    static func importFeed(_ settings: GivenSettings, in database: RunningDatabase) throws {
        guard let place = settings.text(.bulletinFeed) else {
            throw UsageError("which feed? A file, or a URL, as in kurir bulletin import https://example.com/feed.xml")
        }
        let (category, given) = (try category(settings, unless: "news"), try source(settings))
        let feed = try read(place)
        let source = given ?? (feed.title.isEmpty ? Self.name(of: place) : feed.title)
        for number in feed.empty { Told.trouble("entry \(number) has neither a title nor a text") }
        let connection = try database.connect()
        var added = 0
        for start in stride(from: 0, to: feed.entries.count, by: 500) {
            let entries = feed.entries[start..<min(start + 500, feed.entries.count)]
            added += try publish(entries.map(json), from: source, as: category, telling: false, connection).count
            Told.progress(start + entries.count, of: feed.entries.count)
        }
        let known = feed.entries.count - added
        print("\(source): \(added) new, \(known) there already, \(feed.empty.count) that cannot be used.")
    }

    /// Publishes one, and prints its id.
    static func post(_ settings: GivenSettings, in database: RunningDatabase) throws {
        let source = try source(settings) ?? Self.own
        let category = try category(settings, unless: "news")
        let entry = try Entry(
            title: settings.text(.bulletinTitle), text: settings.text(.bulletinText), link: settings.text(.bulletinLink)
        )
        let ids = try publish([entry.json], from: source, as: category, telling: true, database.connect())
        guard let id = ids.first else {
            throw Refusal("a bulletin with this link, or with this title today, stands there already")
        }
        print(id)
    }

    /// Removes one, whoever wrote it, and the pushes of it that wait.
    static func remove(_ settings: GivenSettings, in database: RunningDatabase) throws {
        guard let text = settings.text(.bulletin) else { throw UsageError("which bulletin? kurir bulletin remove ID") }
        guard let id = ID(text) else { throw UsageError("\(text) is no id") }
        let removed = try database.connect().query(CommandSQL.removeBulletin, [id.description])
        guard !removed.isEmpty else { throw Refusal("there is no bulletin \(id)") }
        print("\(id) is removed.")
    }

    /// Where what an operator writes comes from, unless another name is given.
    static let own = "Kurir"

    /// Puts entries into the bulletin, and into everybody's feed if they are to be told; gives the ids of the new ones.
    static func publish(
        _ entries: [JSON], from source: String, as category: String, telling: Bool, _ connection: BlockingConnection
    ) throws -> [String] {
        let entries = String(decoding: JSON.array(entries).bytes, as: UTF8.self)
        return try connection.query(
            CommandSQL.publishBulletins, [source, category, entries, String(telling)]
        ).compactMap { $0[0] }
    }

    /// What an operator writes, checked like what stores write.
    struct Entry {
        let title, text: String
        let link: String?

        init(title: String?, text: String?, link: String?) throws {
            func checked(_ name: String, _ check: () throws(InvalidValue) -> String) throws -> String {
                do {
                    return try check()
                } catch {
                    throw UsageError("the \(name) cannot be taken: \(Self.words[error.code] ?? error.code)")
                }
            }
            self.title = try checked("title") { () throws(InvalidValue) in
                try Texts.line(title ?? "", upTo: Bounds.bulletinTitle)
            }
            self.text = try checked("text") { () throws(InvalidValue) in
                try Texts.paragraph(text ?? "", upTo: Bounds.bulletinText)
            }
            self.link = try link.map { link in
                try checked("link") { () throws(InvalidValue) in
                    try BulletinLink.taken(link, upTo: Bounds.bulletinLink)
                }
            }
        }

        private static let words = [
            "required": "it is missing", "too_long": "it is too long",
            "control_characters": "it has control characters",
            "invalid_link": "it must begin with https:// or http://",
        ]

        var json: JSON {
            .object(
                ["title": .string(title), "text": .string(text)].merging(link.map { ["link": .string($0)] } ?? [:]) {
                    $1
                })
        }
    }

    private static func json(_ entry: FeedEntry) -> JSON {
        var members: [String: JSON] = ["title": .string(entry.title), "text": .string(entry.text)]
        members["link"] = entry.link.map(JSON.string)
        members["guid"] = entry.guid.map(JSON.string)
        members["published_at"] = entry.publishedAt.map { .string(Timestamp($0).text) }
        return .object(members)
    }

    private static func category(_ settings: GivenSettings, unless usual: String) throws -> String {
        let expected = "news, road or weather"
        return try settings.value(.bulletinCategory, expected: expected) { text in
            ["news", "road", "weather"].first { $0 == text }
        } ?? usual
    }

    static func source(_ settings: GivenSettings) throws -> String? {
        try settings.value(.bulletinSource, expected: "a name of at most \(Bounds.bulletinSource) characters") {
            try? Texts.line($0, upTo: Bounds.bulletinSource)
        }
    }

    // MARK: Reading

    private static func read(_ place: String) throws -> ReadFeed {
        let bytes = try isURL(place) ? fetch(place) : BoundedFile.read(place, upTo: ReadFeed.mostBytes)
        do {
            return try ReadFeed(bytes)
        } catch {
            throw Refusal("\(place) is no feed: \(error)")
        }
    }

    private static func isURL(_ place: String) -> Bool { place.hasPrefix("https://") || place.hasPrefix("http://") }

    private static func fetch(_ url: String) throws -> [UInt8] {
        var transfer = Transfer(url, nil)
        transfer.headers = [
            ("User-Agent", "Kurir/\(Command.version)"),
            ("Accept", "application/rss+xml, application/atom+xml, application/feed+json, */*"),
        ]
        (transfer.patience, transfer.mostRead) = (60_000, ReadFeed.mostBytes)
        (transfer.failsWhenLonger, transfer.failsWhenSlow) = (true, true)
        let reply = Transfers<Void>().perform(transfer)
        guard reply.error == nil, reply.status == 200 else {
            throw Refusal("\(url) gives no feed: \(reply.error ?? "it answers \(reply.status)")")
        }
        return reply.body
    }

    /// What a feed without a title is called: the host, or the file.
    private static func name(of place: String) -> String {
        let parts = place.split(separator: "/")
        return String((isURL(place) ? parts.dropFirst().first : parts.last) ?? "feed").prefix(Bounds.bulletinSource)
            .description
    }
}

/// Why something was not done, although it was asked for rightly.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A file of somebody else's.
enum BoundedFile {
    /// Its bytes, unless there are more than that.
    static func read(_ path: String, upTo most: Int) throws -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw Refusal("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = fread(&piece, 1, piece.count, file)
            bytes += piece.prefix(count)
            guard bytes.count <= most else { throw Refusal("\(path) has more than \(most >> 20) MiB") }
            guard count == piece.count else { break }
        }
        guard ferror(file) == 0 else { throw Refusal("\(path) cannot be read") }
        return bytes
    }
}

/// What is told beside a command's own words.
enum Told {
    static func trouble(_ text: String) { write("\(text)\n") }

    /// How far it is, where somebody looks.
    static func progress(_ done: Int, of all: Int) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        write("\r\(done) of \(all)" + (done == all ? "\n" : ""))
    }

    private static func write(_ text: String) { _ = Glibc.write(STDERR_FILENO, text, text.utf8.count) }
}

extension CommandSQL {
    static let removeBulletin = """
        WITH removed AS (DELETE FROM bulletins WHERE id = $1::uuid RETURNING id)
        SELECT withdraw('bulletin_published', ARRAY[id]) FROM removed
        """

    static let publishBulletins = "SELECT unnest(publish_bulletins($1, $2, $3::jsonb, $4::boolean))"
}
