import Domain
import EventLoop
import Glibc

/// Which keys and rules papers are judged by. They are read again when an operator says so.
package final class KnownPapers: Sendable {
    private let files: Files
    private let known: Locked<(keys: TrustedKeys, rules: HealthRules)>
    /// Held while the files are read again.
    private let rereading = Locked(())

    /// The files of keys and rules, where an operator has given some.
    package struct Files: Sendable, Equatable {
        package let keys, rules: String?

        package init(keys: String? = nil, rules: String? = nil) { (self.keys, self.rules) = (keys, rules) }

        package var areNone: Bool { keys == nil && rules == nil }
    }

    /// What papers are judged by without such files: no keys, and rules of Kurir's own.
    package static var usual: KnownPapers { KnownPapers((TrustedKeys(), HealthRules())) }

    private init(_ usual: (TrustedKeys, HealthRules)) { (files, known) = (Files(), Locked(usual)) }

    /// Reads the files; throws what is wrong with them.
    package init(_ files: Files) throws(BadPaperFile) {
        self.files = files
        known = Locked(try Self.read(files))
    }

    /// Reads the files again. If one is wrong, what was known stays. Gives how many keys there are.
    ///
    /// One does so after the other: what was read before never replaces what was read later.
    @discardableResult
    package func reread() throws -> Int {
        try rereading.withLock { _ in
            let read = try Self.read(files)
            known.withLock { $0 = read }
            return read.keys.count
        }
    }

    /// What a code is worth; nil if it is no certificate.
    package func state(of code: String, at now: Moment) -> String? {
        HealthCertificate(code).map { verdict(on: $0, at: now).state.rawValue }
    }

    func verdict(on certificate: HealthCertificate, at now: Moment) -> HealthVerdict {
        let (keys, rules) = known.withLock { $0 }
        return HealthVerdict(certificate, keys, rules, at: now)
    }

    private static func read(_ files: Files) throws(BadPaperFile) -> (keys: TrustedKeys, rules: HealthRules) {
        var (keys, rules) = (TrustedKeys(), HealthRules())
        if let path = files.keys {
            guard let read = TrustedKeys(try content(path, of: keysOption)) else {
                throw BadPaperFile(
                    option: keysOption, path: path,
                    reason:
                        "it must be JSON of names and keys, {\"KID\": \"SPKI\"}, both in standard base64; keys are of P-256 or RSA"
                )
            }
            keys = read
        }
        if let path = files.rules {
            guard let read = HealthRules(try content(path, of: rulesOption)) else {
                throw BadPaperFile(
                    option: rulesOption, path: path,
                    reason: """
                        it must be JSON like {"recovery":{"days":180},"vaccination":{"days":270},\
                        "test":{"pcr_hours":72,"antigen_hours":48}}
                        """)
            }
            rules = read
        }
        return (keys, rules)
    }

    /// The options that name the files, for those who are told what is wrong with one.
    private static let (keysOption, rulesOption) = ("--dcc-keys", "--dcc-rules")

    /// Lists of keys of all countries have some hundred kilobytes.
    private static let mostBytes = 8 << 20

    private static func content(_ path: String, of option: String) throws(BadPaperFile) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            let reason = String(cString: strerror(errno))
            throw BadPaperFile(
                option: option, path: path, reason: "it cannot be read (\(reason)): name a file that Kurir may read")
        }
        defer { close(file) }
        var (bytes, piece): ([UInt8], [UInt8]) = ([], .init(repeating: 0, count: 1 << 16))
        while case let count = Glibc.read(file, &piece, piece.count), count > 0, bytes.count <= mostBytes {
            bytes += piece[..<count]
        }
        return bytes
    }
}

/// A file of keys or rules that cannot be used.
package struct BadPaperFile: Error, CustomStringConvertible {
    let option, path, reason: String

    package var description: String { "\(option) \(path): \(reason)" }
}
