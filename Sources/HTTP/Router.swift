/// Finds the route for a path: a tree of segments, in which a literal goes before a parameter.
struct Router: Sendable {
    private var nodes = [Node()]

    struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        var parameter: Int?
        var routes: [(method: [UInt8], route: Route)] = []
    }

    enum Match {
        case found(Route, parameters: [Range<Int>])
        /// The path exists, but not for this method.
        case otherMethods([String])
        case none
    }

    init(_ routes: [Route]) {
        for route in routes { add(route) }
    }

    private mutating func add(_ route: Route) {
        precondition(route.template.hasPrefix("/"), "a template begins with a slash: \(route.template)")
        var node = 0
        for segment in route.template.utf8.dropFirst().split(separator: .slash, omittingEmptySubsequences: false) {
            node = child(of: node, for: Array(segment))
        }
        let method = Array(route.method.utf8)
        precondition(!nodes[node].routes.contains { $0.method == method }, "twice: \(route.method) \(route.template)")
        nodes[node].routes.append((method, route))
    }

    private mutating func child(of node: Int, for segment: [UInt8]) -> Int {
        let isParameter = segment.first == UInt8(ascii: "{")
        let known = isParameter ? nodes[node].parameter : nodes[node].literals.first { $0.segment == segment }?.node
        if let known { return known }
        nodes.append(Node())
        let new = nodes.count - 1
        if isParameter { nodes[node].parameter = new } else { nodes[node].literals.append((segment, new)) }
        return new
    }

    /// Looks at the bytes of a path, which begins with a slash at `path.lowerBound`.
    func match(method: Span<UInt8>, in bytes: Span<UInt8>, path: Range<Int>) -> Match {
        var parameters: [Range<Int>] = []
        var node = 0
        var start = path.lowerBound + 1
        while true {
            var end = start
            while end < path.upperBound, bytes[end] != .slash { end += 1 }
            guard let next = next(after: node, segment: start..<end, of: bytes, &parameters) else { return .none }
            node = next
            if end >= path.upperBound { break }
            start = end + 1
        }
        return choose(method, at: node, parameters)
    }

    private func next(
        after node: Int, segment: Range<Int>, of bytes: Span<UInt8>, _ parameters: inout [Range<Int>]
    ) -> Int? {
        let span = bytes.extracting(segment)
        for literal in nodes[node].literals where span.equals(literal.segment) { return literal.node }
        guard let parameter = nodes[node].parameter, !segment.isEmpty else { return nil }
        parameters.append(segment)
        return parameter
    }

    private func choose(_ method: Span<UInt8>, at node: Int, _ parameters: [Range<Int>]) -> Match {
        let routes = nodes[node].routes
        for entry in routes where method.equals(entry.method) { return .found(entry.route, parameters: parameters) }
        if method.equals(Array("HEAD".utf8)), let get = routes.first(where: { $0.route.method == "GET" }) {
            return .found(get.route, parameters: parameters)
        }
        guard !routes.isEmpty else { return .none }
        return .otherMethods(Self.allowed(routes.map(\.route.method)))
    }

    /// What `Allow` says of a path with these methods.
    private static func allowed(_ methods: [String]) -> [String] {
        Set(methods + (methods.contains("GET") ? ["HEAD"] : []) + ["OPTIONS"]).sorted()
    }
}

extension Span where Element == UInt8 {
    func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for place in 0..<count where self[place] != other[place] { return false }
        return true
    }
}
