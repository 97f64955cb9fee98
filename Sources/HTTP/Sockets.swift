import EventLoop
import Glibc

/// Opens the sockets that the loops listen on.
enum Sockets {
    /// Opens one socket for each loop, all on one port; the kernel spreads connections over them.
    static func listen(_ address: ListenAddress, count: Int, option: String) throws -> (files: [Int32], port: UInt16) {
        var failure: any Error = SystemError("finding \(address.host)", number: EADDRNOTAVAIL)
        // Every address means that of version 6, which stands for both; without version 6 it means that of version 4.
        let hosts = address.host == "::" ? ["::", "0.0.0.0"] : [address.host]
        for candidate in try hosts.flatMap({ try resolve(ListenAddress(host: $0, port: address.port), option) }) {
            do {
                return try listen(candidate, count: count)
            } catch {
                failure = error
            }
        }
        throw ListenError.cannotListen(address, "\(failure)", option: option)
    }

    static func close(_ file: Int32) { Glibc.close(file) }

    private static func listen(_ candidate: Candidate, count: Int) throws -> ([Int32], UInt16) {
        // Sockets that share a port would also share it with another server of the same user, and each would get some
        // of the other's clients. So the first socket is opened without sharing, to find out whether the port is free.
        // (Two servers that start at the very same time can still both find it free.)
        Glibc.close(try open(candidate, shared: false))
        let first = try open(candidate, shared: true)
        let port = portOf(first)
        let rest = try (1..<max(1, count)).map { _ in try open(candidate.with(port: port), shared: true) }
        return ([first] + rest, port)
    }

    private struct Candidate {
        var address: sockaddr_storage
        let length: socklen_t
        let family: Int32

        func with(port: UInt16) -> Candidate {
            var copy = self
            withUnsafeMutableBytes(of: &copy.address) { bytes in
                // The port is at the same place in the addresses of both families.
                bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            }
            return copy
        }
    }

    private static func resolve(_ address: ListenAddress, _ option: String) throws -> [Candidate] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard result == 0 else {
            throw ListenError.unknownHost(address.host, String(cString: gai_strerror(result)), option: option)
        }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
            guard let info = entry?.pointee, let source = info.ai_addr else { return nil }
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: Int(info.ai_addrlen)))
            }
            return Candidate(address: storage, length: info.ai_addrlen, family: info.ai_family)
        }
    }

    private static func open(_ candidate: Candidate, shared: Bool) throws -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let file = socket(candidate.family, kind, 0)
        guard file >= 0 else { throw SystemError("opening a socket") }
        set(file, SOL_SOCKET, SO_REUSEADDR, 1)
        if shared { set(file, SOL_SOCKET, SO_REUSEPORT, 1) }
        if candidate.family == AF_INET6 { set(file, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        var address = candidate.address
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, candidate.length) }
        }
        guard bound == 0, Glibc.listen(file, 4096) == 0 else {
            let error = SystemError("binding")
            Glibc.close(file)
            throw error
        }
        return file
    }

    private static func set(_ file: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(file, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func portOf(_ file: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(file, $0, &length) }
        }
        return withUnsafeBytes(of: address) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }
}

/// Why the server cannot listen.
public enum ListenError: Error, CustomStringConvertible {
    /// The host's name has no address.
    case unknownHost(String, String, option: String)
    /// The server cannot listen at the address.
    case cannotListen(ListenAddress, String, option: String)

    public var description: String {
        switch self {
        case .cannotListen(let address, let reason, let option):
            "cannot listen on \(address) (\(reason)): choose another address with \(option), or end what is there"
        case .unknownHost(let host, let reason, let option):
            "no address is known for \(host) (\(reason)): name a host of this machine with \(option), as in \(option) 127.0.0.1:8080"
        }
    }
}
