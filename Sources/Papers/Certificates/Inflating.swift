import CZlib

/// What was made smaller by zlib.
enum Zlib {
    /// More than this is not taken, however little it came from.
    static let most = 64 * 1024

    /// The bytes as they were; nil if that is not all of one stream, or they are too many.
    static func inflate(_ bytes: [UInt8]) -> [UInt8]? {
        var isWhole = false
        let inflated = [UInt8](unsafeUninitializedCapacity: most) { inflated, count in
            var (made, taken) = (uLongf(most), uLong(bytes.count))
            isWhole = uncompress2(inflated.baseAddress, &made, bytes, &taken) == Z_OK && taken == bytes.count
            count = isWhole ? Int(made) : 0
        }
        return isWhole ? inflated : nil
    }
}
