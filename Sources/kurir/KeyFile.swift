import Crypto
import EventLoop
import Glibc

/// The file with the keys that the database does not have.
struct KeyFile: Sendable {
    let path: String

    /// Where a database of Kurir's own has it: beside the data.
    init(in directory: String) { path = directory + "/kurir.key" }

    init(_ path: String) { self.path = path }

    var exists: Bool { access(path, F_OK) == 0 }

    /// The keys. A file that everybody on the machine reads is no better than none.
    func keys() throws -> SealingKeys {
        guard let keys = SealingKeys(try content()) else { throw KeyError.noKeys(path) }
        return keys
    }

    private func content() throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw KeyError.unreadable(path, SystemError("opening").description) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT != S_IFDIR else { throw KeyError.noKeys(path) }
        guard facts.st_mode & 0o007 == 0 else { throw KeyError.open(path) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Makes the file with one key; if it is there already, puts a new key before the others, which from then on seals.
    /// It is written beside its place and moved there, so that nobody reads half of it.
    func make() throws {
        let isFurther = exists
        // What is no key file is left alone.
        if isFurther { _ = try keys() }
        let text = SealingKeys.newLine() + (isFurther ? try content() : "")
        let draft = path + ".new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            guard errno != EEXIST else { throw KeyError.leftOver(draft) }
            throw KeyError.unwritable(path, SystemError("making").description)
        }
        let written = write(file, text, text.utf8.count)
        if isFurther { keepOwner(file) }
        let isSafe = written == text.utf8.count && fsync(file) == 0
        close(file)
        guard isSafe, rename(draft, path) == 0 else {
            unlink(draft)
            throw KeyError.unwritable(path, SystemError("writing").description)
        }
    }

    private func keepOwner(_ file: Int32) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return }
        _ = fchown(file, facts.st_uid, facts.st_gid)
        fchmod(file, facts.st_mode & 0o770)
    }
}

/// What is wrong with keys, and what to do.
enum KeyError: Error, CustomStringConvertible {
    case unreadable(String, String)
    case unwritable(String, String)
    case leftOver(String)
    case open(String)
    case noKeys(String)
    case other(file: String, names: [String], wanted: String)
    case gone(file: String, wanted: String)
    case notAdopted

    var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "the key file \(path) cannot be read (\(reason)): name one by --key-file that Kurir may read; with a database of its own"
                + " it gives root up, and must get to it then"
        case .unwritable(let path, let reason):
            "the key file \(path) cannot be written (\(reason)): name one where you may write, kurir keys make FILE"
        case .leftOver(let draft):
            "\(draft) is in the way, from a time that kurir keys make was broken off, or is at work: wait, or remove it"
        case .open(let path):
            "the key file \(path) (--key-file) can be read by everybody on this machine: chmod o= \(path), and see who could read it"
        case .noKeys(let path):
            "\(path) is no key file (--key-file): each line must be 32 bytes in base64, as kurir keys make \(path) writes them"
        case .other(let file, let names, let wanted):
            "the database is sealed with the key \(wanted), and \(file) has \(names.joined(separator: ", ")):"
                + " name the file that has it (--key-file)"
        case .gone(let file, let wanted):
            "the database is sealed with the key \(wanted), and \(file) is gone: put it back from where you keep a copy"
        case .notAdopted:
            "the database's secret is not sealed yet: once no Kurir from before keys runs, kurir keys adopt"
        }
    }
}
