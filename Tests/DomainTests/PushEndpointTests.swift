import Domain
import Testing

@Suite struct PushEndpointTests {
    @Test(arguments: [
        ("https://push.example/send/abc-1_2.~%20:x?k=v&l=1", "push.example", "https://push.example"),
        ("https://PUSH.example:8443/x", "push.example", "https://push.example:8443"),
        ("https://192.0.2.7/x", "192.0.2.7", "https://192.0.2.7"),
        ("https://[2001:DB8::1]:444/x", "2001:db8::1", "https://[2001:db8::1]:444"),
        ("https://push.example", "push.example", "https://push.example"),
        // A default port is no part of an origin (RFC 6454).
        ("https://push.example:443/x", "push.example", "https://push.example"),
        ("https://xn--push-bma.example/x", "xn--push-bma.example", "https://xn--push-bma.example"),
    ])
    func `an endpoint has a host and an origin`(_ text: String, _ host: String, _ origin: String) throws {
        let endpoint = try PushEndpoint(text)
        #expect(endpoint.text == text && endpoint.host == host && endpoint.origin == origin)
    }

    @Test(arguments: [
        "push", "localhost", "printer.local", "10.0.0.1", "[::1]", "2130706433", "127.1", "0x7f.1", "1.2.3.4.5",
        "push.lan",
        "[a:b.c]",
    ])
    func `a name that means something only here is known`(_ host: String) throws {
        #expect(try !PushEndpoint("https://\(host)/x").isNamedPublicly)
    }

    @Test(arguments: [
        "", "http://push.example/x", "ftp://push.example", "push.example", "https:/push.example", "https:///x",
        "https://user@push.example/x", "https://push.example@127.0.0.1/x", "https://push.example:x/",
        "https://push.example\\@h/",
        "https://push.exämple/x", "https://push.example/a b", "https://push.example/\u{0}",
        "https://push.example/\r\nX: y",
        "https://push.example:0/x", "https://push.example:65536/x", "https://push.example:99999/x",
        "https://push.example:/x", "https://push.example:0443/x", "https://push.example:-1/x",
        "https://push..example/x", "https://push.example./x", "https://-push.example/x", "https://push-.example/x",
        "https://[1.2.3.4]/x", "https://push.example/x#y", "https://pu%73h.example/x", "https://push_service.example/x",
        "https://user:password@push.example/x", "https://" + String(repeating: "x", count: 64) + ".example/x",
        "https://" + String(repeating: "x.", count: 127) + "example/x",
        // Letters that are others in lowercase.
        "https://\u{212A}urir.example/x", "https://[::1]x/x", "https://[]/x", "https://[.:]/x",
        "https://push.example:8 0/x",
        "https://push.example?x", "https://push.example#x", "https://.example/x", "https://[::1/x", "https://::1/x",
        "https://push.example/" + String(repeating: "x", count: 1024),
    ])
    func `what is no plain https address is refused`(_ text: String) {
        #expect(refusal { () throws(InvalidValue) in try PushEndpoint(text) } == InvalidValue("bad_endpoint"))
    }
}
