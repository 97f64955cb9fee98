import Synchronization

/// A request as a handler sees it: complete, checked, and independent of its connection.
public final class Request: Sendable {
    /// The method's name, as sent.
    public let method: String
    /// The id of this request in logs and in the answer.
    public let id: String
    /// The address of the client itself, even behind trusted proxies.
    public let client: IPAddress
    /// The body's bytes; empty when there is none.
    public let body: [UInt8]
    /// Reads the body piece by piece; nil where it comes as a whole.
    public let pieces: BodyReader?
    private let received: ReceivedHead
    private let parameters: [(name: String, value: String)]
    /// It is used on one loop only; a `Mutex` is the lock that needs no memory of its own.
    private let known = Mutex(Known())

    private struct Known {
        var account: String?
        var language: String?
    }

    init(
        _ received: ReceivedHead, body: [UInt8] = [], id: String, client: IPAddress,
        parameters: [(name: String, value: String)] = [], pieces: BodyReader? = nil
    ) {
        self.received = received
        self.id = id
        self.client = client
        self.body = body
        self.parameters = parameters
        self.pieces = pieces
        method = received.method
    }

    /// The value of a header field, or of its first line if there are several. `name` is in lower case.
    public func header(_ name: StaticString) -> String? {
        received.header(name)
    }

    /// Whether a header field has several lines. `name` is in lower case.
    public func isRepeated(_ name: StaticString) -> Bool {
        received.isRepeated(name)
    }

    /// All lines of a header field as one list. `name` is in lower case.
    public func headerList(_ name: StaticString) -> String? {
        received.headerList(name)
    }

    /// The part of the path for a parameter of the route's template. If it has not the wanted form, nothing is found at
    /// that address.
    public func parameter<Value: LosslessStringConvertible>(_ name: String, as type: Value.Type = Value.self) throws
        -> Value
    {
        guard let text = parameters.first(where: { $0.name == name })?.value else {
            preconditionFailure("the template has no {\(name)}")
        }
        guard let value = Value(text) else { throw Problem.notFound }
        return value
    }

    /// A query parameter of the wanted type and range; nil when it is missing.
    public func query<Value: LosslessStringConvertible & Comparable>(
        _ name: String, in range: ClosedRange<Value>
    ) throws -> Value? {
        guard let text = query(name) else { return nil }
        guard let value = Value(text), range.contains(value) else {
            let bounds = ["least": "\(range.lowerBound)", "most": "\(range.upperBound)"]
            throw Problem(
                .unprocessable, "validation_failed",
                fields: [Problem.WrongField(name, "out_of_range", arguments: bounds)])
        }
        return value
    }

    /// The first value of a query parameter, decoded (`+` is a space).
    public func query(_ name: String) -> String? { Self.values(of: name, in: received.query).first ?? nil }

    /// Whether a query parameter comes more than once.
    public func isQueryRepeated(_ name: String) -> Bool { Self.values(of: name, in: received.query).count > 1 }

    /// Whether there is a query at all.
    public var hasQuery: Bool { !received.query.isEmpty }

    /// The first value of a field of a form, as browsers send one without a script; nil when there is none, or the body is no
    /// such form.
    public func formField(_ name: String) -> String? {
        let type = header("content-type")?.prefix { $0 != ";" }.lowercased()
        guard type == "application/x-www-form-urlencoded" else { return nil }
        return Self.values(of: name, in: body).first ?? nil
    }

    /// What cannot be decoded is nil.
    private static func values(of name: String, in pairs: some Collection<UInt8>) -> [String?] {
        pairs.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let parts = pair.split(separator: .equals, maxSplits: 1, omittingEmptySubsequences: false)
            guard PercentEncoding.decode(parts[0], plusIsSpace: true) == name else { return nil }
            return .some(parts.count == 2 ? PercentEncoding.decode(parts[1], plusIsSpace: true) : "")
        }
    }

    /// The path as it was sent, without the query.
    public var path: String { String(decoding: received.bytes[received.path], as: UTF8.self) }

    /// The values of all cookies of that name.
    public func cookies(_ name: String) -> [String] {
        guard let cookies = headerList("cookie") else { return [] }
        return cookies.utf8.split(whereSeparator: { $0 == .semicolon || $0 == .comma }).compactMap { pair in
            let parts = pair.split(separator: .equals, maxSplits: 1, omittingEmptySubsequences: false)
            let isNamed = parts.count == 2 && parts[0].drop(while: { $0 == .space }).elementsEqual(name.utf8)
            return isNamed ? String(Substring(parts[1])) : nil
        }
    }

    /// The account for which the request is made, once it is known. It is for the log.
    public var account: String? {
        get { known.withLock { $0.account } }
        set { known.withLock { $0.account = newValue } }
    }

    /// The language for problems, once it is known better than by `Accept-Language`.
    public var language: String? {
        get { known.withLock { $0.language } }
        set { known.withLock { $0.language = newValue } }
    }
}

/// Percent-encoding, as paths and queries have it.
enum PercentEncoding {
    /// The text that the bytes encode; nil when it is not UTF-8 or has control characters that no text needs.
    static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            if byte == .percent {
                guard let first = rest.next().flatMap(Grammar.hexValue),
                    let second = rest.next().flatMap(Grammar.hexValue)
                else { return nil }
                decoded.append(first << 4 | second)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? .space : byte)
            }
        }
        guard
            !decoded.contains(where: {
                $0 < 0x20 && $0 != .tab && $0 != .lineFeed && $0 != .carriageReturn || $0 == 0x7f
            })
        else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }
}
