import EventLoop

/// The bytes of a head and what the parser found in them.
struct ReceivedHead: Sendable {
    let head: RequestHead
    let bytes: [UInt8]

    static let unreadable = ReceivedHead(head: RequestHead(), bytes: [])

    var method: String { text(head.method) }

    /// The first field line with that name, which is given in lower case.
    func header(_ name: StaticString) -> String? {
        let span = bytes.span
        for field in head.fields where span.matches(field.name, name) { return text(field.value) }
        return nil
    }

    /// Whether there are several field lines with that name.
    func isRepeated(_ name: StaticString) -> Bool {
        let span = bytes.span
        var lines = 0
        for field in head.fields where span.matches(field.name, name) { lines += 1 }
        return lines > 1
    }

    /// All field lines with that name, joined as RFC 9110, 5.2 says.
    func headerList(_ name: StaticString) -> String? {
        let span = bytes.span
        let values = head.fields.filter { span.matches($0.name, name) }.map { text($0.value) }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    var path: Range<Int> { Int(head.target.start)..<head.pathEnd }

    /// The part behind the question mark.
    var query: ArraySlice<UInt8> {
        let end = Int(head.target.end)
        return bytes[min(head.pathEnd + 1, end)..<end]
    }

    /// Whether the percent-encoded parts are text.
    var hasSoundEscapes: Bool {
        guard head.hasEscapes else { return true }
        return PercentEncoding.decode(bytes[path]) != nil && PercentEncoding.decode(query) != nil
    }

    private func text(_ stretch: Stretch) -> String {
        String(decoding: bytes[stretch.range], as: UTF8.self)
    }
}

/// A request whose head is known.
struct Incoming {
    let received: ReceivedHead
    let id: String
    let client: IPAddress
    let plan: Plan

    /// What is to happen when the request is complete.
    enum Plan {
        case handle(Route, parameters: [Range<Int>])
        case options(allow: [String])
        case refuse(Problem)
    }

    var route: Route? {
        if case .handle(let route, _) = plan { route } else { nil }
    }

    /// The decoded values of the route's parameters.
    var parameters: [(name: String, value: String)] {
        guard case .handle(let route, let places) = plan else { return [] }
        return zip(route.parameterNames, places).map { name, place in
            (name, PercentEncoding.decode(received.bytes[place]) ?? "")
        }
    }
}

/// One request and its answer, as the connection remembers them.
struct Exchange {
    let request: Request
    let route: String?
    let began: Instant
    let isHead: Bool
    let minorVersion: UInt8
    var keepsAlive: Bool
    /// Whether it has a place among the requests that may be under way.
    var isCounted = false
    /// Whether the answer's head is out and its body follows piece by piece.
    var isStreaming = false
    /// When the head of the answer was there.
    var answered: Instant?
    var status = 0
}
