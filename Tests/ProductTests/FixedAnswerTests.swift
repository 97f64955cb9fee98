import CZlib
import Crypto
import HTTP
import TestSupport
import Testing

@testable import Product

/// What is the same for everybody, as it is and compressed.
@Suite(.database) struct FixedAnswerTests {
    private func files(_ api: ServedProduct) async throws -> [String] {
        let worker = try await api.get("/worker.js").reply.text
        let kept = Set(worker.matches(of: /\/assets\/[\w-]+\/[\w.-]+/).map { String($0.output) })
        let place = try #require(kept.first.map { String($0.prefix(through: $0.lastIndex(of: "/") ?? $0.startIndex)) })
        let others = ["leaflet.js", "leaflet.css", "map.js", "track.js"].map { place + $0 }
        return ["/", "/store", "/courier", "/worker.js", "/openapi.json", "/docs"] + kept + others
    }

    @Test func `what is unpacked is what others get as it is`() async throws {
        try await ServedProduct.serving { api in
            let paths = try await files(api)
            #expect(paths.count > 60)
            for path in paths {
                let plain = try await api.get(path).reply
                let packed = try await api.get(path, headers: ["Accept-Encoding": "gzip, br"]).reply
                try #require(plain.status == 200 && packed.status == 200, "\(path)")
                #expect(plain.header("content-encoding") == nil && plain.header("etag") != nil, "\(path)")
                #expect(packed.header("content-type") == plain.header("content-type"))
                #expect(packed.header("cache-control") == plain.header("cache-control"))
                if path.hasSuffix(".png") || plain.body.count < 256 {
                    #expect(packed.header("content-encoding") == nil && packed.body == plain.body)
                    continue
                }
                #expect(packed.header("content-encoding") == "gzip" && packed.body.count < plain.body.count, "\(path)")
                #expect(try SHA256.hash(unpacked(packed.body)) == SHA256.hash(plain.body), "\(path)")
                #expect(packed.header("content-length") == String(packed.body.count))
                for answer in [plain, packed] {
                    #expect(answer.header("vary")?.hasSuffix("Accept-Encoding") == true, "\(path)")
                }
                #expect(packed.header("etag") != plain.header("etag"), "\(path)")
            }
        }
    }

    @Test func `a head is that of the whole answer, and parts are not given`() async throws {
        try await ServedProduct.serving { api in
            for encoding in ["gzip", "identity"] {
                let whole = try await api.get("/store", headers: ["Accept-Encoding": encoding]).reply
                let head = try await api.call("HEAD", "/store", headers: ["Accept-Encoding": encoding]).reply
                #expect(head.status == 200 && head.body.isEmpty)
                for name in ["content-length", "content-encoding", "etag", "vary"] {
                    #expect(head.header(name) == whole.header(name))
                }
                let part = try await api.get(
                    "/store", headers: ["Accept-Encoding": encoding, "Range": "bytes=0-9"]
                ).reply
                #expect(part.status == 200 && part.body == whole.body)
            }
        }
    }

    @Test func `whoever has it is told that it is still true, each of its forms by itself`() async throws {
        try await ServedProduct.serving { api in
            func ask(_ known: String?, _ encoding: String) async throws -> Reply {
                let known = known.map { ["If-None-Match": $0] } ?? [:]
                return try await api.get("/courier", headers: known.merging(["Accept-Encoding": encoding]) { $1 }).reply
            }
            let plain = try #require(try await ask(nil, "identity").header("etag"))
            let packed = try #require(try await ask(nil, "gzip").header("etag"))
            for (known, encoding) in [
                (plain, "identity"), (packed, "gzip"), ("W/\(packed)", "gzip"), ("\"a\", \(packed)", "gzip"),
                ("*", "gzip"),
            ] {
                let answer = try await ask(known, encoding)
                #expect(answer.status == 304 && answer.body.isEmpty && answer.header("content-length") == nil)
                #expect(answer.header("etag") == (encoding == "gzip" ? packed : plain))
                #expect(answer.header("cache-control") == "no-cache" && answer.header("vary") != nil)
            }
            for (known, encoding) in [(packed, "identity"), (plain, "gzip"), ("\"a\"", "gzip"), ("", "gzip")] {
                let answer = try await ask(known, encoding)
                #expect(answer.status == 200 && !answer.body.isEmpty, "\(known) \(encoding)")
            }
        }
    }

    /// It is made for the one who asks, tells secrets beside what strangers may have sent in, and costs time each time.
    @Test func `what is made for one who asks is not compressed`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            for path in ["/v1/me", "/v1/about", "/v1/deliveries", "/i/00000-00000"] {
                let answer = try await api.get(path, as: store.token, headers: ["Accept-Encoding": "gzip"]).reply
                #expect(answer.header("content-encoding") == nil && !answer.body.isEmpty, "\(path)")
            }
        }
    }

    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("x-gzip", true), ("br, gzip;q=0.8", true),
            ("gzip;q=0", false), ("gzip;q=0.000", false), ("gzip;q=0, *", false), ("*", true), ("*;q=0", false),
            ("br", false), ("identity", false), ("deflate, *;q=0.1", true), ("gzip;q=0.5, identity", false),
            ("gzip;q=0.5, identity;q=0.5", true), ("identity;q=0, gzip;q=0.1", true), ("gzip; q = 1", true),
            ("gzip;q=x", false), ("gzippy", false), ("gzip;q=0.001", true), (",,;,gzip", true),
        ] as [(String?, Bool)])
    func `it is taken by those who say so`(_ accepted: String?, _ isTaken: Bool) {
        #expect(Gzip.isTaken(accepted) == isTaken)
    }

    @Test func `whatever is packed is unpacked again`() throws {
        var seed = Seed.forThisRun()
        for count in [0, 1, 2, 1_000, 65_535, 300_000] {
            let any = (0..<count).map { _ in UInt8.random(in: 0...255, using: &seed) }
            let even = [UInt8](repeating: 65, count: count)
            for bytes in [any, even] { #expect(try unpacked(Gzip.pack(bytes)) == bytes) }
        }
    }

    private func unpacked(_ packed: [UInt8]) throws -> [UInt8] {
        let most = 1 << 20
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        // Sixteen beyond the largest window ask for gzip alone.
        let size = Int32(MemoryLayout<z_stream>.size)
        try #require(inflateInit2_(stream, MAX_WBITS + 16, ZLIB_VERSION, size) == Z_OK)
        defer { inflateEnd(stream) }
        var ended = Z_OK
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { bytes, count in
            packed.withUnsafeBufferPointer { packed in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
                stream.pointee.avail_in = uInt(packed.count)
                (stream.pointee.next_out, stream.pointee.avail_out) = (bytes.baseAddress, uInt(most))
                ended = inflate(stream, Z_FINISH)
                count = Int(stream.pointee.total_out)
            }
        }
        try #require(ended == Z_STREAM_END && stream.pointee.avail_in == 0)
        return bytes
    }
}
