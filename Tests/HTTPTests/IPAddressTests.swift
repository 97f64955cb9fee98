import Glibc
import Testing

@testable import HTTP

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
        ("::1", "::1"), ("[::1]", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
        ("fe80::1:0:0:2", "fe80::1:0:0:2"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        // An address of version 4 stays one, however it is written.
        ("::ffff:1.2.3.4", "1.2.3.4"), ("::ffff:102:304", "1.2.3.4"), ("[::ffff:1.2.3.4]", "1.2.3.4"),
        ("64:ff9b::1.2.3.4", "64:ff9b::102:304"), ("", nil), ("1", nil), ("1.2.3", nil), ("1.2.3.4.5", nil),
        ("1.2.3.256", nil), ("01.2.3.4", nil), ("1.2.3.4 ", nil), (" 1.2.3.4", nil), ("1.2.3.-4", nil),
        ("0x1.2.3.4", nil), ("1.2.3.4:80", nil), ("[::1]:80", nil), ("[::1", nil), ("::1]", nil), (":", nil),
        (":::", nil), ("1:2", nil), ("::g", nil), ("12345::", nil), ("1::2::3", nil), ("1:2:3:4:5:6:7:8:9", nil),
        ("fe80::1%eth0", nil), ("localhost", nil), ("unknown", nil), ("_hidden", nil), ("1.2.3.4\0", nil),
        ("::1\0x", nil),
    ])
    func `addresses are read and written as text`(text: String, expected: String?) {
        #expect(IPAddress(text)?.description == expected)
    }

    @Test func `an address is the same in whatever form it comes`() {
        #expect(IPAddress("1.2.3.4") == IPAddress("::ffff:1.2.3.4"))
        #expect(IPAddress("::1") == IPAddress("0:0:0:0:0:0:0:1"))
        #expect(IPAddress("::1.2.3.4") != IPAddress("1.2.3.4"))
        #expect(IPAddress("1.2.3.4").hashValue == IPAddress("::ffff:1.2.3.4").hashValue)
    }

    @Test func `clients are counted by what one subscriber has`() {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.network == IPAddress("2001:db8:1:2::"))
        #expect(IPAddress("2001:db8:1:3::1")?.network != IPAddress("2001:db8:1:2::1")?.network)
        #expect(IPAddress("1.2.3.4")?.network == IPAddress("1.2.3.4"))
        var limits = Limits()
        (limits.connectionsPerAddress, limits.requestsPerAddress) = (2, 2)
        let admission = Admission(limits: limits)
        let clients = ["2001:db8::1", "2001:db8::2", "2001:db8::3"].compactMap { IPAddress($0) }
        #expect(clients.map { admission.enterConnection($0, isTrusted: false) } == [true, true, false])
        #expect(clients.map { admission.enterRequest($0) } == [.admitted, .admitted, .tooManyOfThisAddress])
        admission.leaveConnection(clients[0])
        admission.leaveRequest(clients[0])
        #expect(
            admission.enterConnection(clients[2], isTrusted: false) && admission.enterRequest(clients[2]) == .admitted)
    }

    @Test func `waiting bytes are counted in all and by network, proxies aside`() {
        var limits = Limits()
        (limits.waiting, limits.waitingPerAddress) = (25, 10)
        let admission = Admission(limits: limits)
        let (first, second) = (IPAddress("2001:db8::1")!, IPAddress("2001:db8::2")!)
        let (other, proxy) = (IPAddress("2001:db8:1::1")!, IPAddress("10.0.0.1")!)
        #expect(admission.enterBytes(6, first, isTrusted: false) == .admitted)
        #expect(admission.enterBytes(5, second, isTrusted: false) == .tooManyOfThisAddress)
        #expect(admission.enterBytes(4, second, isTrusted: false) == .admitted)
        #expect(admission.enterBytes(11, proxy, isTrusted: true) == .admitted)
        #expect(admission.enterBytes(5, other, isTrusted: false) == .tooMany)
        #expect(admission.enterBytes(4, other, isTrusted: false) == .admitted)
        // Refused bytes are not counted.
        #expect(admission.bytesWaiting == 25)
        admission.leaveBytes(6, first)
        #expect(admission.enterBytes(6, second, isTrusted: false) == .admitted)
        for (count, address) in [(10, second), (11, proxy), (4, other)] { admission.leaveBytes(count, address) }
        #expect(admission.bytesWaiting == 0)
    }

    @Test func `addresses of the kernel are understood`() {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_INET)
        withUnsafeMutableBytes(of: &storage) {
            $0.storeBytes(of: UInt32(0x0102_0304).bigEndian, toByteOffset: 4, as: UInt32.self)
        }
        #expect(IPAddress(storage) == IPAddress("1.2.3.4"))
        storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_INET6)
        withUnsafeMutableBytes(of: &storage) { $0[23] = 1 }
        #expect(IPAddress(storage) == IPAddress("::1"))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
        ("10.0.0.0/9", "10.127.0.1", true), ("10.0.0.0/9", "10.128.0.1", false), ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1", "10.0.0.2", false), ("10.0.0.1/32", "10.0.0.2", false), ("0.0.0.0/0", "200.1.2.3", true),
        ("0.0.0.0/0", "::1", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ("::ffff:10.0.0.0/8", "10.1.1.1", true), ("::/0", "::1", true), ("::/0", "10.0.0.1", true),
        ("fd00::/8", "fdab::1", true), ("fd00::/8", "fe00::1", false), ("fe80::/10", "febf::1", true),
        ("fe80::/10", "fec0::1", false), ("2001:db8::/64", "2001:db8::ffff:0:0:1", true),
        ("2001:db8::/64", "2001:db8:0:1::", false), ("2001:db8::/65", "2001:db8::8000:0:0:0", false),
        ("2001:db8::/63", "2001:db8:0:1::", true), ("::1", "::1", true), ("::1/127", "::", true),
        ("::1/128", "::", false),
    ])
    func `a network holds the addresses with its prefix`(network: String, address: String, isIn: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/-0", "10.0.0.0/+8", "10.0.0.0/8/8",
        "10.0.0.0/a", "10.0.0.0/ 8", "::/129", "10/8", "host/8",
    ])
    func `a text that is no network is refused`(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(arguments: [
        (nil, "10.0.0.1", "10.0.0.1"), ("1.1.1.1", "10.0.0.1", "1.1.1.1"), ("1.1.1.1", "9.9.9.9", "9.9.9.9"),
        ("", "10.0.0.1", "10.0.0.1"), ("1.1.1.1, 2.2.2.2", "10.0.0.1", "2.2.2.2"),
        ("1.1.1.1, 10.0.0.2", "10.0.0.1", "1.1.1.1"),
        ("1.1.1.1, 2.2.2.2, 10.0.0.3, 10.0.0.2", "10.0.0.1", "2.2.2.2"),
        ("10.0.0.3, 10.0.0.2", "10.0.0.1", "10.0.0.3"), ("1.1.1.1,10.0.0.2", "::ffff:10.0.0.1", "1.1.1.1"),
        (" \t1.1.1.1\t", "fd00::1", "1.1.1.1"), ("2001:db8::7", "fd00::1", "2001:db8::7"),
        ("[2001:db8::7]", "fd00::1", "2001:db8::7"), ("::ffff:1.1.1.1", "10.0.0.1", "1.1.1.1"),
        // A text that is not an address names nobody, so the last known address counts.
        ("1.1.1.1, unknown", "10.0.0.1", "10.0.0.1"), ("1.1.1.1, unknown, 10.0.0.2", "10.0.0.1", "10.0.0.2"),
        // U+0600 makes one character of itself and what follows, were it a comma.
        ("1.1.1.1\u{0600}, 2.2.2.2", "10.0.0.1", "2.2.2.2"),
        ("1.1.1.1\u{0600},10.0.0.2", "10.0.0.1", "10.0.0.2"),
        ("1.1.1.1:80", "10.0.0.1", "10.0.0.1"), ("1.1.1.1, 2.2.2 .2", "10.0.0.1", "10.0.0.1"),
    ])
    func `X-Forwarded-For counts as far as trusted proxies wrote it`(header: String?, peer: String, client: String)
        throws
    {
        let proxies = TrustedProxies(networks: [IPNetwork("10.0.0.0/8")!, IPNetwork("fd00::/8")!])
        #expect(proxies.client(peer: try #require(IPAddress(peer)), forwardedFor: header).description == client)
    }

    @Test func `nobody is believed without trusted proxies`() {
        let peer = IPAddress("10.0.0.1")!
        #expect(TrustedProxies(networks: []).client(peer: peer, forwardedFor: "1.1.1.1") == peer)
    }

    @Test(
        arguments: [
            ("localhost:80", "localhost", 80), ("0.0.0.0:0", "0.0.0.0", 0), (":8080", "::", 8080),
            ("[::1]:80", "::1", 80), ("[::]:65535", "::", 65535),
        ] as [(String, String, UInt16)])
    func `addresses to listen on are read and written`(text: String, host: String, port: UInt16) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host && address.port == port)
        #expect(ListenAddress(address.description)?.description == address.description)
    }

    @Test(arguments: [
        "", "localhost", "80", "a:", "a:b", "a:-1", "a:+80", "a:65536", "a: 80", "::1", "::1:80", "[::1]",
        "[::1:80", "::1]:80", "a:80 ",
    ])
    func `addresses that nobody can listen on are refused`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
