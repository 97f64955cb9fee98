import HTTP

@testable import HTTP

extension Property {
    /// Percent-encoding, queries and paths.
    static let queries = Property("queries") { bytes in
        try encoded(bytes)
        try asked(bytes)
        try routed(bytes)
    }

    /// What is decoded is text without control characters that no text needs, and is the same when encoded otherwise.
    private static func encoded(_ bytes: [UInt8]) throws {
        guard let text = PercentEncoding.decode(bytes) else { return }
        let controls = text.unicodeScalars.filter { $0.value < 0x20 || $0.value == 0x7f }
        try require(controls.allSatisfy { "\t\n\r".unicodeScalars.contains($0) }, "control characters in \(text)")
        try require(PercentEncoding.decode(Request.escaped(text).utf8)?.bytes, is: text.bytes, "encoded otherwise")
        try require(bytes.contains(.percent) || text.bytes == bytes, "decoded although nothing was encoded")
    }

    /// A query gives the first value of each name, as it was written.
    private static func asked(_ bytes: [UInt8]) throws {
        let pairs = bytes.split(separator: 0, maxSplits: 12).map { pair in
            let parts = pair.split(separator: 1, maxSplits: 1, omittingEmptySubsequences: false).map(\.text)
            return (name: parts[0], value: parts.count == 2 ? parts[1] : "")
        }
        let request = try Request.made(query: pairs)
        for pair in pairs where isText(pair.name) {
            let first = pairs.first { $0.name == pair.name }!
            let expected = isText(first.value) ? first.value : nil
            try require(request.query(pair.name)?.bytes, is: expected?.bytes, "the value of \(pair.name)")
        }
    }

    private static func isText(_ text: String) -> Bool { PercentEncoding.decode(Request.escaped(text).utf8) != nil }

    private static let router = Router(
        ["/", "/a", "/a/", "/a/{x}", "/a/{x}/b", "/{x}/b/{y}", "/a/b"].map { template in
            Route("GET", template) { _ in Response(.ok) }
        })

    /// A path leads to the route whose template it fills, and to no other.
    private static func routed(_ bytes: [UInt8]) throws {
        let path = [.slash] + bytes.filter { $0 != .questionMark }
        let method = "GET".bytes
        guard
            case .found(let route, let places) = router.match(
                method: method.span, in: path.span, path: path.indices)
        else { return }
        var rest = places.map { Array(path[$0]) }[...]
        let filled = route.template.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix("{") ? rest.removeFirst() : segment.bytes
        }
        try require(Array(filled.joined(separator: [.slash])), is: path, "\(route.template) filled")
        try require(rest.isEmpty && !places.contains { $0.isEmpty }, "places of \(route.template)")
    }
}
