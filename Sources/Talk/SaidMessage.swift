import API
import Domain
import HTTP
import Postgres

/// A message of a conversation.
struct SaidMessage: Sendable {
    let id: ID
    let seq: Int32
    let from: AccountKind
    let author: ID
    let at: Timestamp
    /// What it says; nil if it has been taken back.
    var content: Content?

    struct Content: Sendable {
        let text: String?
        let picture: Picture?
        /// What it is about.
        let delivery: ID?
    }

    struct Picture: Sendable {
        let id: ID
        let width, height: Int32
    }

    static let shape = Shape.object(
        "ConversationMessage",
        [
            .init("id", .id), .init("seq", .integer(1...Int(Int32.max))),
            .init("from", .object([.init("kind", .oneOf(AccountKind.allCases.map(\.rawValue))), .init("id", .id)])),
            .init("text", Shape.string().orNull),
            .init(
                "file",
                .object([.init("id", .id), .init("width", .count), .init("height", .count)]), optional: true),
            .init("delivery", .object([.init("id", .id)]), optional: true),
            .init("deleted", .boolean), .init("at", .time),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("seq", Int(seq))
        json.object("from") { json in
            json.field("kind", from.rawValue)
            json.field("id", author)
        }
        json.field("text", content?.text)
        if let picture = content?.picture {
            json.object("file") { json in
                json.field("id", picture.id)
                json.field("width", Int(picture.width))
                json.field("height", Int(picture.height))
            }
        }
        if let delivery = content?.delivery { json.object("delivery") { $0.field("id", delivery) } }
        json.field("deleted", content == nil)
        json.field("at", at)
    }

    var response: Response {
        var json = JSONWriter()
        json.object(write)
        return .json(json.bytes, status: .created)
    }

    /// Of a message `m` of a conversation `c`.
    static let columns = """
        m.id, m.seq, m.from_store, CASE WHEN m.from_store THEN c.store_id ELSE c.courier_id END, m.at, m.deleted, m.text,
        m.delivery_id, m.file_id, m.file_width, m.file_height
        """

    /// Reads the columns; nil where all of them are null.
    static func read(_ row: inout RowReader) throws -> SaidMessage? {
        let (id, seq, isFromStore): (ID?, Int32?, Bool?) = (try row.read(), try row.read(), try row.read())
        let (author, at, isDeleted): (ID?, Timestamp?, Bool?) = (try row.read(), try row.read(), try row.read())
        let (text, delivery, file): (String?, ID?, ID?) = (try row.read(), try row.read(), try row.read())
        let (width, height): (Int32?, Int32?) = (try row.read(), try row.read())
        guard let id, let seq, let isFromStore, let author, let at, let isDeleted else { return nil }
        let picture: Picture? =
            if let file, let width, let height { Picture(id: file, width: width, height: height) } else { nil }
        var message = SaidMessage(
            id: id, seq: seq, from: isFromStore ? .store : .courier, author: author, at: at,
            Content(text: text, picture: picture, delivery: delivery))
        if isDeleted { message.content = nil }
        return message
    }

    init(_ row: inout RowReader) throws {
        guard let message = try Self.read(&row) else { throw PostgresError.unexpected("no message") }
        self = message
    }

    init(id: ID, seq: Int32, from: AccountKind, author: ID, at: Timestamp, _ content: Content) {
        (self.id, self.seq, self.from, self.author, self.at, self.content) = (id, seq, from, author, at, content)
    }
}

extension ID {
    /// When that happened which has this id.
    var time: Timestamp { Timestamp(microseconds: Int64(high >> 16) * 1000) }
}
