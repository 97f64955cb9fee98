import Glibc

/// The files that a server speaks TLS by.
public struct TLSFiles: Sendable {
    /// The certificate, and behind it those that lead to one that clients know, in PEM.
    public let certificate: String
    /// Its key, in PEM.
    public let key: String

    /// A certificate's file and its key's.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// What tells these files from those that may come in their place.
    var facts: [FileFacts?] { [FileFacts(certificate), FileFacts(key)] }

    /// The options that name them.
    public static let (certificateOption, keyOption) = ("tls-cert", "tls-key")

    /// Throws unless both can be read, and the key by few.
    func check() throws(TLSError) {
        for (path, option) in [(certificate, Self.certificateOption), (key, Self.keyOption)] {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw .unreadable(option, path, String(cString: strerror(errno))) }
            close(file)
        }
        var ofKey = stat()
        guard stat(key, &ofKey) == 0, ofKey.st_mode & 0o007 == 0 else { throw .open(key) }
    }
}

/// What changes of a file when somebody writes it, puts another in its place, or lets others read it.
struct FileFacts: Equatable {
    private let device, file: UInt
    private let size: Int
    private let written, changed: [Int]

    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        (device, file, size) = (facts.st_dev, facts.st_ino, facts.st_size)
        written = [facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec]
        changed = [facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec]
    }
}

/// What is wrong with a certificate or its key, and what to do.
public enum TLSError: Error, CustomStringConvertible {
    /// The file that an option names cannot be read, and why.
    case unreadable(String, String, String)
    /// The key is no secret.
    case open(String)
    /// The file has no certificate, or none that may be used, and why.
    case noCertificate(String, String)
    /// The file has no key, or none that may be used, and why.
    case noKey(String, String)
    /// The key belongs to another certificate.
    case otherKey(certificate: String, key: String)
    /// The certificate is over.
    case expired(String)
    /// libssl gives nothing to work with.
    case library(String)

    public var description: String {
        switch self {
        case .unreadable(let option, let path, let reason):
            "\(path) (--\(option)) cannot be read (\(reason)): it must be readable by who runs Kurir, which gives root up"
        case .open(let path):
            "the key \(path) (--\(TLSFiles.keyOption)) can be read by everybody on this machine: chmod 640 \(path), and see who could read it"
        case .noCertificate(let path, let reason):
            "\(path) (--\(TLSFiles.certificateOption)) has no certificate in PEM that can be used (\(reason)): name "
                + "the certificate and those behind it, as who signed it gave them"
        case .noKey(let path, let reason):
            "\(path) (--\(TLSFiles.keyOption)) has no key in PEM, without a password, that can be used (\(reason)): "
                + "openssl pkey -in \(path) -out FILE writes the key without it, to be named here and read by nobody else"
        case .otherKey(let certificate, let key):
            "the key in \(key) (--\(TLSFiles.keyOption)) is not that of the certificate in \(certificate) "
                + "(--\(TLSFiles.certificateOption)): name the two that were made together, the certificate first in its file"
        case .expired(let path):
            "the certificate in \(path) (--\(TLSFiles.certificateOption)) has expired: name one that is renewed"
        case .library(let reason): "libssl: \(reason)"
        }
    }
}
