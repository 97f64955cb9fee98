/// Finds the route for a path in a tree of segments, in which literals take precedence over parameters.
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

    /// Looks at the bytes of a path, which begins with a slash or is empty, which means the same as a slash alone.
    func match(method: Span<UInt8>, in bytes: Span<UInt8>, path: Range<Int>) -> Match {
        var search = Search()
        if let route = find(
            method, bytes, min(path.lowerBound + 1, path.upperBound)..<path.upperBound, from: 0, &search)
        {
            return .found(route, parameters: search.parameters)
        }
        return search.methods.isEmpty ? .none : .otherMethods(Self.allowed(search.methods))
    }

    private struct Search {
        var parameters: [Range<Int>] = []
        /// The methods of matching paths, when the wanted method is not among them.
        var methods: [String] = []
    }

    /// Tries the literal first. If that leads nowhere, it tries the parameter.
    private func find(
        _ method: Span<UInt8>, _ bytes: Span<UInt8>, _ rest: Range<Int>, from node: Int, _ search: inout Search
    ) -> Route? {
        var end = rest.lowerBound
        while end < rest.upperBound, bytes[end] != .slash { end += 1 }
        let segment = rest.lowerBound..<end
        for literal in nodes[node].literals where bytes.extracting(segment).equals(literal.segment) {
            if let route = descend(method, bytes, rest, end, to: literal.node, &search) { return route }
        }
        guard let parameter = nodes[node].parameter, !segment.isEmpty else { return nil }
        search.parameters.append(segment)
        if let route = descend(method, bytes, rest, end, to: parameter, &search) { return route }
        search.parameters.removeLast()
        return nil
    }

    private func descend(
        _ method: Span<UInt8>, _ bytes: Span<UInt8>, _ rest: Range<Int>, _ end: Int, to node: Int,
        _ search: inout Search
    ) -> Route? {
        guard end == rest.upperBound else {
            return find(method, bytes, end + 1..<rest.upperBound, from: node, &search)
        }
        let routes = nodes[node].routes
        if let entry = routes.first(where: { method.equals($0.method) }) { return entry.route }
        if method.equals(Self.head), let get = routes.first(where: { $0.method == Self.get }) { return get.route }
        search.methods += routes.map(\.route.method)
        return nil
    }

    private static let head = Array("HEAD".utf8)
    private static let get = Array("GET".utf8)

    /// The value of `Allow` for a path with these methods.
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
