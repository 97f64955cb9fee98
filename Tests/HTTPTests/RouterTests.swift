import Testing

@testable import HTTP

@Suite struct RouterTests {
    private static let router = Router(
        [
            "GET /", "GET /a", "POST /a", "DELETE /a", "POST /only", "GET /a/{id}", "GET /a/stats",
            "PUT /a/{id}/b/{other}", "GET /a/{id}/b", "GET /slash/", "OPTIONS /asked", "HEAD /headed", "GET /headed",
            "GET /a/stats/deep",
        ].map { text in
            let parts = text.split(separator: " ")
            return Route(String(parts[0]), String(parts[1])) { _ in Response(.ok) }
        })

    /// `template parameter…`, `405 method…` or `404`.
    private func found(_ method: String, _ target: String) throws -> String {
        let received = try receivedHead("\(method) \(target) HTTP/1.1⏎Host: a⏎⏎")
        let bytes = received.bytes.span
        let method = bytes.extracting(received.head.method.range)
        switch Self.router.match(method: method, in: bytes, path: received.path) {
        case .none: return "404"
        case .otherMethods(let methods): return "405 " + methods.joined(separator: " ")
        case .found(let route, let parameters):
            let texts = parameters.map { latin1(received.bytes[$0]) }
            return ([route.method, route.template] + texts).joined(separator: " ")
        }
    }

    @Test(arguments: [
        ("GET", "/", "GET /"), ("GET", "/a", "GET /a"), ("POST", "/a", "POST /a"), ("GET", "/a?b/c", "GET /a"),
        ("GET", "http://h", "GET /"), ("GET", "http://h?q", "GET /"), ("GET", "http://h/a", "GET /a"),
        // A literal takes precedence over a parameter, which is tried when the literal leads nowhere.
        ("GET", "/a/stats", "GET /a/stats"), ("GET", "/a/7", "GET /a/{id} 7"), ("GET", "/a/stat", "GET /a/{id} stat"),
        ("GET", "/a/statss", "GET /a/{id} statss"), ("GET", "/a/stats/deep", "GET /a/stats/deep"),
        ("GET", "/a/stats/b", "GET /a/{id}/b stats"),
        ("GET", "/a/7/b", "GET /a/{id}/b 7"), ("PUT", "/a/7/b/8", "PUT /a/{id}/b/{other} 7 8"),
        ("GET", "/nowhere", "404"), ("GET", "/A", "404"), ("GET", "/a/7/c", "404"), ("GET", "/a/7/b/8/9", "404"),
        // A segment in the middle of the tree is not a path.
        ("PUT", "/a/7", "405 GET HEAD OPTIONS"), ("GET", "/slash", "404"), ("GET", "/slash/", "GET /slash/"),
        // Slashes matter.
        ("GET", "/a/", "404"), ("GET", "//a", "404"), ("GET", "/a//b", "404"), ("GET", "/a/7/", "404"),
        ("GET", "//", "404"),
        // Encoded characters are part of their segment, and never match a literal.
        ("GET", "/a/x%2Fb", "GET /a/{id} x%2Fb"), ("GET", "/a/%73tats", "GET /a/{id} %73tats"), ("GET", "/%61", "404"),
        ("GET", "/a/..", "GET /a/{id} .."), ("GET", "/a/;x=1", "GET /a/{id} ;x=1"),
        // Methods.
        ("HEAD", "/a", "GET /a"), ("HEAD", "/headed", "HEAD /headed"), ("HEAD", "/only", "405 OPTIONS POST"),
        ("GET", "/only", "405 OPTIONS POST"), ("PATCH", "/a", "405 DELETE GET HEAD OPTIONS POST"),
        ("get", "/a", "405 DELETE GET HEAD OPTIONS POST"), ("OPTIONS", "/a", "405 DELETE GET HEAD OPTIONS POST"),
        ("OPTIONS", "/asked", "OPTIONS /asked"), ("PATCH", "/nowhere", "404"),
    ])
    func `a request finds its route`(method: String, target: String, expected: String) throws {
        #expect(try found(method, target) == expected)
    }

    @Test(arguments: [("/headed", "405 GET HEAD OPTIONS"), ("/asked", "405 OPTIONS")])
    func `Allow names each method once`(target: String, expected: String) throws {
        #expect(try found("PATCH", target) == expected)
    }

    @Test(arguments: [
        ("/", []), ("/a", []), ("/a/{id}", ["id"]), ("/a/{id}/b/{other}", ["id", "other"]),
    ])
    func `a template tells the names of its parameters`(template: String, expected: [String]) {
        #expect(Route.get(template) { _ in Response(.ok) }.parameterNames == expected)
    }
}
