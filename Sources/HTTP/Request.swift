import Synchronization

/// A request as a handler sees it: complete, checked, and free of the connection that it came by.
public final class Request: Sendable {
    /// The method's name, as sent.
    public let method: String
    /// What tells this request from all others, in logs and in the answer.
    public let id: String
    /// Where it came from: the client itself, also behind trusted proxies.
    public let client: IPAddress
    /// The body's bytes; empty when there is none.
    public let body: [UInt8]
    private let received: ReceivedHead
    private let parameters: [(name: String, value: String)]
    /// Touched on one loop only; a `Mutex` is the lock that needs no memory of its own.
    private let known = Mutex(Known())

    private struct Known {
        var account: String?
        var language: String?
    }

    init(
        _ received: ReceivedHead, body: [UInt8] = [], id: String, client: IPAddress,
        parameters: [(name: String, value: String)] = []
    ) {
        self.received = received
        self.id = id
        self.client = client
        self.body = body
        self.parameters = parameters
        method = received.method
    }

    /// The value of a header field; of several lines by that name, the first. `name` in lower case.
    public func header(_ name: StaticString) -> String? {
        received.header(name)
    }

    /// All lines of a header field as one list. `name` in lower case.
    public func headerList(_ name: StaticString) -> String? {
        received.headerList(name)
    }

    /// What stands in the path for a parameter of the route's template. Where it has not the form that is wanted,
    /// there is nothing at that address.
    public func parameter<Value: LosslessStringConvertible>(_ name: String, as type: Value.Type = Value.self) throws
        -> Value
    {
        guard let text = parameters.first(where: { $0.name == name })?.value else {
            preconditionFailure("the template has no {\(name)}")
        }
        guard let value = Value(text) else { throw Problem.notFound }
        return value
    }

    /// A query parameter of a wanted form and range; nil when it is not there.
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
    public func query(_ name: String) -> String? {
        for pair in received.query.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: .equals, maxSplits: 1, omittingEmptySubsequences: false)
            guard PercentEncoding.decode(parts[0], plusIsSpace: true) == name else { continue }
            return parts.count == 2 ? PercentEncoding.decode(parts[1], plusIsSpace: true) : ""
        }
        return nil
    }

    /// The path as it was sent, without the query.
    public var path: String { String(decoding: received.bytes[received.path], as: UTF8.self) }

    /// The value of a cookie.
    public func cookie(_ name: String) -> String? {
        guard let cookies = headerList("cookie") else { return nil }
        for pair in cookies.split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].drop(while: { $0 == " " }) == name { return String(parts[1]) }
        }
        return nil
    }

    /// The account on whose behalf the request is made, once it is known: for the log.
    public var account: String? {
        get { known.withLock { $0.account } }
        set { known.withLock { $0.account = newValue } }
    }

    /// The language that problems are told in, once it is known better than by `Accept-Language`.
    public var language: String? {
        get { known.withLock { $0.language } }
        set { known.withLock { $0.language = newValue } }
    }
}

/// Percent-encoding, as paths and queries have it.
enum PercentEncoding {
    /// The text that the bytes stand for; nil when it is not UTF-8 or has control characters that no text needs.
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
