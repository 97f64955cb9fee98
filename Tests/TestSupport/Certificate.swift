import Glibc

/// A certificate for tests, with its key, as files.
package struct Certificate: Sendable {
    /// The certificate and those that lead to the root.
    package let chain: String
    package let key: String
    /// The root that signed for all.
    package let root: String

    /// One that many servers may share.
    package static let shared = Task { try await make() }

    /// Makes a root, one between, and one for localhost. `kind` is that of the last key, as openssl names it.
    package static func make(_ kind: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]) async throws
        -> Certificate
    {
        let place = TemporaryDirectory.path("tls")
        mkdir(place, 0o755)
        let ec = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        func make(_ name: String, by signer: String?, _ kind: [String], isAuthority: Bool) async throws {
            var words = ["req", "-x509", "-nodes", "-days", "9", "-subj", "/CN=\(name)", "-newkey"] + kind
            words += ["-keyout", "\(place)/\(name).key", "-out", "\(place)/\(name).pem"]
            words += ["-addext", isAuthority ? "keyUsage=critical,keyCertSign" : "subjectAltName=DNS:localhost"]
            if !isAuthority { words += ["-addext", "basicConstraints=critical,CA:FALSE"] }
            if let signer { words += ["-CA", "\(place)/\(signer).pem", "-CAkey", "\(place)/\(signer).key"] }
            let made = try await Program.run("openssl", words)
            precondition(made.code == 0, made.complained)
        }
        try await make("root", by: nil, ec, isAuthority: true)
        try await make("between", by: "root", ec, isAuthority: true)
        try await make("localhost", by: "between", kind, isAuthority: false)
        let joined = try await Program.run(
            "sh", ["-c", "cat \(place)/localhost.pem \(place)/between.pem > \(place)/chain.pem"])
        precondition(joined.code == 0)
        return Certificate(chain: "\(place)/chain.pem", key: "\(place)/localhost.key", root: "\(place)/root.pem")
    }
}
