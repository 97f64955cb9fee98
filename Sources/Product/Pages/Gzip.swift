import CZlib
import HTTP

/// The compression that every browser takes.
enum Gzip {
    /// Whether a client takes it (RFC 9110, 12.5.3), and likes it no less than the bytes as they are.
    static func isTaken(_ accepted: String?) -> Bool {
        guard let accepted else { return false }
        let qualities = Dictionary(WeightedList.read(accepted).map { ($0.value, $0.quality) }) { first, _ in first }
        let quality = qualities["gzip"] ?? qualities["x-gzip"] ?? qualities["*"] ?? 0
        return quality > 0 && quality >= qualities["identity"] ?? 0
    }

    static func pack(_ bytes: [UInt8]) -> [UInt8] {
        // zlib wants it to stay where it is.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        // Sixteen beyond the largest window ask for the head and the end that gzip has.
        let begun = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(begun == Z_OK, "zlib has no memory")
        defer { deflateEnd(stream) }
        return [UInt8](unsafeUninitializedCapacity: Int(deflateBound(stream, uLong(bytes.count)))) { packed, count in
            bytes.withUnsafeBufferPointer { bytes in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
                stream.pointee.avail_in = uInt(bytes.count)
                stream.pointee.next_out = packed.baseAddress
                stream.pointee.avail_out = uInt(packed.count)
                let ended = deflate(stream, Z_FINISH)
                precondition(ended == Z_STREAM_END, "the room was bounded")
                count = Int(stream.pointee.total_out)
            }
        }
    }
}
