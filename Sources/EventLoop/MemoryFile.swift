import CLinux
import Glibc

/// Bytes that are gathered and given out piece by piece, in a file without a name that lies in memory.
///
/// Neither writing nor reading it waits for a disk. So a loop can fill it with more than a loop should hold.
public final class MemoryFile: Sendable {
    private let file: Int32

    /// An empty file.
    public init() throws {
        file = clinux_memory_file()
        guard file >= 0 else { throw SystemError("a file in memory") }
    }

    deinit { close(file) }

    /// Adds bytes at the end.
    public func append(_ bytes: [UInt8]) throws {
        guard write(file, bytes, bytes.count) == bytes.count else { throw SystemError("writing to memory") }
    }

    /// How many bytes there are.
    public var count: Int {
        var facts = stat()
        return fstat(file, &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// The bytes from there on, so many at most; none behind the end.
    public func piece(from start: Int, upTo most: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: most) { bytes, count in
            let got = pread(file, bytes.baseAddress, most, off_t(start))
            guard got >= 0 else { throw SystemError("reading from memory") }
            count = got
        }
    }

    /// Lends all of them at once.
    public func withBytes<Answer>(_ body: (UnsafeRawBufferPointer) throws -> Answer) throws -> Answer {
        let count = count
        guard count > 0 else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard let start = mmap(nil, count, PROT_READ, MAP_SHARED, file, 0), start != MAP_FAILED else {
            throw SystemError("mapping a file in memory")
        }
        defer { munmap(start, count) }
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
