import EventLoop
import TestSupport
import Testing

/// An account's feed, or another list, as a stream of server-sent events.
final class EventStream: Sendable {
    private let client: Client
    let status: Int

    /// What one event says.
    struct Event: Equatable, Sendable {
        var id: String?
        var type: String?
        var data: String?
        var isComment = false
    }

    convenience init(
        _ api: ServedProduct, as person: Person, of path: String = "/v1/events", query: String = "",
        after id: String? = nil
    ) async throws {
        var head = "Authorization: Bearer \(person.token)\r\n"
        if let id { head += "Last-Event-ID: \(id)\r\n" }
        try await self.init(api, path: path + query, head: head)
    }

    /// A stream of something else.
    init(_ api: ServedProduct, path: String, head more: String = "") async throws {
        client = try await Client(api.port)
        let head = "GET \(path) HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n" + more
        try await client.send(head + "\r\n")
        let line = try await blocking { [client] in try client.takeLine() }
        status = Int(line.split(separator: " ")[1]) ?? 0
        while try await blocking({ [client] in try !client.takeLine().isEmpty }) {}
    }

    /// The next event, without comments and hints unless they are wanted; nil at the proper end.
    func next(comments: Bool = false) async throws -> Event? {
        if let event = pop(comments) { return event }
        while let chunk = try await chunk() {
            for block in chunk.split(separator: "\n\n") { blocks.withLock { $0.append(String(block)) } }
            if let event = pop(comments) { return event }
        }
        return nil
    }

    /// The next events, until there are so many.
    func take(_ count: Int) async throws -> [Event] {
        var events: [Event] = []
        while events.count < count {
            guard let event = try await next() else { break }
            events.append(event)
        }
        return events
    }

    /// The last that comes before the proper end, word by word.
    func lastWords() async throws -> String {
        var last = ""
        while let chunk = try await chunk() { last = chunk }
        return last
    }

    func close() { client.close() }

    private let blocks = Locked<[String]>([])

    private func pop(_ comments: Bool) -> Event? {
        while let block = blocks.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            var event = Event()
            for line in block.split(separator: "\n") {
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { event.type = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
                if line.hasPrefix(":") { event.isComment = true }
            }
            if event.type != nil || comments { return event }
        }
        return nil
    }

    private func chunk() async throws -> String? {
        try await blocking { [client] in
            let size = Int(try client.takeLine(), radix: 16) ?? 0
            let bytes = try client.take(size)
            _ = try client.takeLine()
            return size == 0 ? nil : String(decoding: bytes, as: UTF8.self)
        }
    }
}
