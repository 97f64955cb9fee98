import EventLoop
import Glibc

/// The few things that the embedded server asks of files.
enum FileSystem {
    /// Makes a directory and those above it. An existing one is left as it is. Gives those that it made.
    @discardableResult
    static func makeDirectory(_ path: String) throws -> [String] {
        if mkdir(path, 0o700) == 0 { return [path] }
        if errno == EEXIST { return [] }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw SystemError("making \(path)")
        }
        let above = try makeDirectory(String(path[..<slash]))
        if mkdir(path, 0o700) == 0 { return above + [path] }
        guard errno == EEXIST else { throw SystemError("making \(path)") }
        return above
    }

    /// The path from the root, without symbolic links.
    static func absolute(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError("finding \(path)") }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Opens a directory; nil when there is none.
    static func openDirectory(_ path: String) throws -> Int32? {
        let file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if file >= 0 { return file }
        guard errno == ENOENT else { throw SystemError("opening \(path)") }
        return nil
    }

    /// The beginning of a small file in an open directory, or of one with an absolute path; nil when it cannot be read.
    static func read(_ name: String, in directory: Int32 = AT_FDCWD) -> String? {
        let file = openat(directory, name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return read(file)
    }

    /// The content of an open file from `offset` on, at most 4 KiB.
    static func read(_ file: Int32, from offset: Int = 0) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &bytes, bytes.count, offset)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// The names in a directory; none when it cannot be read.
    static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    /// Whether a path leads to the same file as an open descriptor; nil when this process may not look.
    static func isSame(_ path: String, as file: Int32) -> Bool? {
        var one = stat()
        var other = stat()
        guard stat(path, &one) == 0 else { return errno == EACCES ? nil : false }
        return fstat(file, &other) == 0
            && one.st_ino == other.st_ino && one.st_dev == other.st_dev
    }
}
