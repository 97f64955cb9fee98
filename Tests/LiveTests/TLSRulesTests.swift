import Glibc
import HTTP
import TestSupport
import Testing

/// What TLS is spoken, as `openssl s_client` sees it, and by which certificate.
@Suite(.timeLimit(.minutes(10)))
struct TLSRulesTests {
    private static let rsa = Task { try await Certificate.make(["rsa:2048"]) }

    private func asked(
        _ words: String..., as certificate: Certificate
    ) async throws -> (code: Int32, said: String, complained: String) {
        try await withServer(tls: TLSFiles(certificate)) { try await ask($0, words) }
    }

    /// It says what it found, and leaves.
    private func ask(
        _ server: LiveServer, _ words: [String]
    ) async throws -> (code: Int32, said: String, complained: String) {
        try await Program.run("openssl", ["s_client", "-connect", "localhost:\(server.port)", "-4"] + words)
    }

    @Test(arguments: [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")])
    func `these versions are spoken`(_ option: String, _ name: String) async throws {
        let answer = try await asked(option, as: Certificate.shared.value)
        #expect(answer.code == 0 && answer.said.contains("New, \(name)"), "\(answer)")
        #expect(answer.said.contains("Server Temp Key: X25519"))
    }

    @Test(arguments: ["-tls1", "-tls1_1"])
    func `older versions are refused`(_ option: String) async throws {
        let answer = try await asked(option, "-cipher", "ALL:@SECLEVEL=0", as: Certificate.shared.value)
        #expect(answer.code != 0 && answer.complained.contains("alert protocol version"), "\(answer)")
    }

    @Test(arguments: [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
        "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
    ])
    func `these ciphers of 1.2 are taken`(_ cipher: String) async throws {
        let certificate = try await cipher.contains("RSA-") ? Self.rsa.value : Certificate.shared.value
        let answer = try await asked("-tls1_2", "-cipher", cipher, as: certificate)
        #expect(answer.code == 0 && answer.said.contains("Cipher is \(cipher)"), "\(answer)")
    }

    /// Those without forward secrecy, those that seal and authenticate apart, and those without a certificate.
    @Test(arguments: [
        "kRSA", "kDHE", "aNULL", "eNULL", "SHA1", "SHA256:!AESGCM:!CHACHA20", "SHA384:!AESGCM", "AESCCM", "CAMELLIA",
        "ARIA", "3DES", "PSK",
    ])
    func `all others are refused`(_ ciphers: String) async throws {
        let names = try await Program.run("openssl", ["ciphers", "-s", "-tls1_2", ciphers + ":@SECLEVEL=0"]).said
            .split { $0 == ":" || $0.isNewline }.map(String.init)
        // The library that tests have may lack some.
        let old = names.filter { !$0.hasPrefix("TLS_") && !$0.isEmpty }
        guard !old.isEmpty else { return }
        for certificate in [try await Certificate.shared.value, try await Self.rsa.value] {
            let answer = try await asked(
                "-tls1_2", "-cipher", old.joined(separator: ":") + ":@SECLEVEL=0", as: certificate)
            #expect(answer.code != 0 && answer.complained.contains("alert handshake failure"), "\(answer)")
        }
    }

    @Test func `HTTP 1.1 is chosen of what a client speaks, and a client that speaks something else only is told`()
        async throws
    {
        let certificate = try await Certificate.shared.value
        #expect(try await asked("-alpn", "h2,http/1.1", as: certificate).said.contains("ALPN protocol: http/1.1"))
        #expect(try await asked("-alpn", "http/1.1", as: certificate).said.contains("ALPN protocol: http/1.1"))
        #expect(try await asked(as: certificate).said.contains("No ALPN negotiated"))
        let other = try await asked("-alpn", "h2", as: certificate)
        #expect(other.code != 0 && other.complained.contains("alert no application protocol"), "\(other)")
    }

    @Test(arguments: [["-servername", "elsewhere.example"], ["-noservername"]])
    func `whatever name a client asks for, the certificate is the same`(_ words: [String]) async throws {
        try await withServer(tls: TLSFiles(Certificate.shared.value)) { server in
            let answer = try await ask(server, words)
            #expect(answer.said.contains("subject=CN = localhost"))
        }
    }

    @Test func `the chain is sent whole, and the root vouches for it`() async throws {
        let certificate = try await Certificate.shared.value
        let answer = try await asked(
            "-showcerts", "-CAfile", certificate.root, "-verify_return_error", "-verify_hostname", "localhost",
            as: certificate)
        #expect(answer.said.contains("Verify return code: 0 (ok)"), "\(answer)")
        #expect(answer.said.matches(of: /BEGIN CERTIFICATE/).count == 2)
    }

    /// So nothing is kept that would open what was recorded, and nothing can be played again.
    @Test func `no session is resumed and no early data taken`() async throws {
        let certificate = try await Certificate.shared.value
        let old = try await asked("-tls1_2", "-reconnect", as: certificate)
        #expect(old.code == 0 && !old.said.contains("Reused,"), "\(old)")
        #expect(old.said.matches(of: /New, TLSv1.2/).count == 6 && !old.said.contains("TLS session ticket:"))
        let new = try await asked("-tls1_3", as: certificate)
        #expect(!new.said.contains("Session Ticket arrived") && new.said.contains("Early data was not sent"))
    }

    @Test func `nobody renegotiates`() async throws {
        let certificate = try await Certificate.shared.value
        try await withServer(tls: TLSFiles(certificate)) { server in
            let script = "openssl s_client -connect localhost:\(server.port) -4 -tls1_2 -msg"
            // What is sent when it reads an R is a request for new keys; what it reads then ends it.
            let answer = try await Program.run("sh", ["-c", "printf 'R\\n' | \(script)"])
            #expect(answer.complained.contains("no renegotiation"), "\(answer)")
            try await server.hasOpen(0)
        }
    }
}
