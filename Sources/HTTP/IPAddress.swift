import Glibc

/// An address of version 6. An address of version 4 is kept as the version 6 address that stands for it.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    private var high: UInt64
    private var low: UInt64

    private init(_ address: in6_addr) {
        (high, low) = withUnsafeBytes(of: address) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    private init(version4: UInt32) {
        high = 0
        low = 0xffff_0000_0000 | UInt64(version4)
    }

    /// Reads the text of either version, `[::1]` as well as `::1`.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        if text.contains("."), !text.contains(":") { text = "::ffff:" + text }
        var address = in6_addr()
        // C would take a NUL for the end of the text.
        guard !text.utf8.contains(0), inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        self.init(address)
    }

    package init(_ address: sockaddr_storage) {
        if address.ss_family == sa_family_t(AF_INET) {
            let v4 = withUnsafeBytes(of: address) { $0.load(as: sockaddr_in.self).sin_addr.s_addr }
            self.init(version4: UInt32(bigEndian: v4))
        } else {
            self.init(withUnsafeBytes(of: address) { $0.load(as: sockaddr_in6.self).sin6_addr })
        }
    }

    /// Spreads addresses, including those of one network.
    var shard: Int { Int(truncatingIfNeeded: (high ^ low) &* 0x9e37_79b9_7f4a_7c15 >> 32) }

    /// The range of one subscriber: an address of version 4, or all addresses of version 6 with the same first 64 bits.
    public var network: IPAddress {
        guard !isVersion4 else { return self }
        var network = self
        network.low = 0
        return network
    }

    /// The ranges that one subscriber may well have, the smallest first: the address itself and its /24, or a /64, a /56 and a
    /// /48 of version 6.
    public var neighbourhoods: [String] {
        isVersion4
            ? [description, "\(first(96 + 24))/24"] : [64, 56, 48].map { "\(first($0))/\($0)" }
    }

    /// The address with all but the first bits at zero.
    private func first(_ bits: Int) -> IPAddress {
        var first = self
        first.high &= bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits))
        first.low &= bits <= 64 ? 0 : ~(UInt64.max >> UInt64(bits - 64))
        return first
    }

    public var isVersion4: Bool { high == 0 && low >> 32 == 0xffff }

    public var description: String {
        if isVersion4 {
            return [24, 16, 8, 0].map { String(low >> $0 & 0xff) }.joined(separator: ".")
        }
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            inet_ntop(AF_INET6, &address, buffer.baseAddress!, socklen_t(buffer.count))
            return String(cString: buffer.baseAddress!)
        }
    }

    /// Whether it is somewhere on the internet, and neither here nor in a network of somebody's own.
    public var isPublic: Bool {
        !Self.special.contains { $0.contains(self) } && (isVersion4 || Self.global.contains(self))
    }

    /// What IANA has set aside of version 4, and of version 6 what leads to addresses of version 4 or is for examples.
    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "2001::/32", "2001:db8::/32", "2002::/16",
    ].compactMap { IPNetwork($0) }
    private static let global = IPNetwork("2000::/3")!

    /// Whether the first `bits` are those of `other`.
    func shares(_ bits: Int, with other: IPAddress) -> Bool {
        let highMask = bits >= 64 ? UInt64.max : ~(UInt64.max >> UInt64(bits))
        let lowMask = bits <= 64 ? 0 : bits == 128 ? UInt64.max : ~(UInt64.max >> UInt64(bits - 64))
        return (high ^ other.high) & highMask == 0 && (low ^ other.low) & lowMask == 0
    }
}

/// A range of addresses: `10.0.0.0/8`, `fd00::/8`, or a single address.
public struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// Reads a network's text.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        let size = address.isVersion4 ? 32 : 128
        guard parts.count == 1 || parts[1].utf8.allSatisfy(\.isDigit) else { return nil }
        guard let bits = parts.count == 2 ? Int(parts[1]) : size, 0...size ~= bits else { return nil }
        self.address = address
        self.bits = bits + 128 - size
    }

    func contains(_ other: IPAddress) -> Bool {
        address.shares(bits, with: other)
    }
}

/// The proxies whose statement of the client's address is believed.
struct TrustedProxies: Sendable {
    let networks: [IPNetwork]

    func contains(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The client: the last address in `X-Forwarded-For` that is no trusted proxy's, seen from the peer inwards.
    func client(peer: IPAddress, forwardedFor: String?) -> IPAddress {
        guard let forwardedFor, contains(peer) else { return peer }
        var client = peer
        // A client could send a mark that makes one character of itself and the proxy's comma.
        for text in forwardedFor.unicodeScalars.split(separator: ",").reversed() {
            let words = text.split(whereSeparator: \.properties.isWhitespace)
            guard words.count == 1, let address = IPAddress(Substring(words[0])) else { return client }
            client = address
            if !contains(address) { return client }
        }
        return client
    }
}
