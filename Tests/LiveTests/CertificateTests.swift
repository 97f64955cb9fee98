import Glibc
import HTTP
import TestSupport
import Testing

/// Certificates that change, and those that are of no use.
@Suite(.timeLimit(.minutes(10)))
struct CertificateTests {
    /// Copies a pair to where a server reads it.
    private func put(_ certificate: Certificate, _ files: TLSFiles) async throws {
        try await copy(certificate.chain, to: files.certificate)
        try await copy(certificate.key, to: files.key)
    }

    /// As whoever renews certificates should: beside it, and then in its place.
    private func copy(_ file: String, to place: String) async throws {
        let copied = try await Program.run(
            "sh", ["-c", "install -m 600 '\(file)' '\(place).new' && mv '\(place).new' '\(place)'"])
        #expect(copied.code == 0, "\(copied.complained)")
    }

    private func pair() -> TLSFiles {
        TLSFiles(certificate: TemporaryDirectory.path("chain.pem"), key: TemporaryDirectory.path("key.pem"))
    }

    /// Whether a new client finds the certificate that this root vouches for.
    private func shows(_ server: LiveServer, _ certificate: Certificate) async throws -> Bool {
        let answer = try await Program.run(
            "openssl", ["s_client", "-connect", "localhost:\(server.port)", "-4", "-CAfile", certificate.root])
        return answer.said.contains("Verify return code: 0 (ok)")
    }

    private func renewed(_ event: HTTPEvent) -> Bool? { if case .certificateRenewed = event { true } else { nil } }

    private func refused(_ event: HTTPEvent) -> String? {
        if case .certificateRefused(let reason) = event { reason } else { nil }
    }

    @Test func `a new pair is taken while connections go on`() async throws {
        let (old, new, files) = (try await Certificate.make(), try await Certificate.make(), pair())
        try await put(old, files)
        try await withServer(tls: files) { server in
            let client = try await server.client()
            #expect(try await client.get("/ping").text == "pong")
            #expect(try await shows(server, old))
            try await put(new, files)
            #expect(try await server.event(renewed))
            #expect(try await shows(server, new))
            #expect(try await client.get("/ping").text == "pong")
        }
    }

    @Test func `a broken pair is told of, and the one before goes on until there is a good one`() async throws {
        let (old, new, files) = (try await Certificate.make(), try await Certificate.make(), pair())
        try await put(old, files)
        try await withServer(tls: files) { server in
            try await copy(new.key, to: files.key)
            let mismatch = try await server.event(refused)
            #expect(mismatch.contains("is not that of the certificate"))
            #expect(try await shows(server, old))
            try await copy("/dev/null", to: files.certificate)
            let empty = try await server.event(refused)
            #expect(empty.contains("no certificate"))
            unlink(files.certificate)
            let gone = try await server.event(refused)
            #expect(gone.contains("cannot be read"))
            #expect(try await shows(server, old))
            try await put(new, files)
            #expect(try await server.event(renewed))
            #expect(try await shows(server, new))
        }
    }

    @Test func `a server does not begin with what is no pair, and says why`() async throws {
        let (one, other) = (try await Certificate.shared.value, try await Certificate.make())
        let open = TemporaryDirectory.path("open.pem")
        try await copy(one.key, to: open)
        chmod(open, 0o644)
        let locked = TemporaryDirectory.path("locked.pem")
        let made = try await Program.run(
            "openssl", ["ec", "-in", one.key, "-aes256", "-passout", "pass:a password", "-out", locked])
        #expect(made.code == 0)
        let weak = try await Certificate.make(["rsa:1024"])
        let rsa = try await Certificate.make(["rsa:2048"])
        let over = TemporaryDirectory.path("over.pem")
        let aged = try await Program.run(
            "openssl", ["x509", "-in", one.chain, "-signkey", one.key, "-days", "-1", "-out", over])
        #expect(aged.code == 0)
        for (files, reason) in [
            (TLSFiles(certificate: one.chain, key: other.key), "is not that of the certificate"),
            (TLSFiles(certificate: one.chain, key: rsa.key), "is not that of the certificate"),
            (TLSFiles(certificate: one.chain, key: "/nowhere"), "/nowhere (--tls-key) cannot be read (No such file"),
            (TLSFiles(certificate: one.key, key: one.key), "no certificate in PEM"),
            (TLSFiles(certificate: one.chain, key: one.chain), "can be read by everybody"),
            (TLSFiles(certificate: one.chain, key: open), "can be read by everybody"),
            (TLSFiles(certificate: one.chain, key: locked), "without a password"),
            (TLSFiles(certificate: weak.chain, key: weak.key), "key too small"),
            (TLSFiles(certificate: over, key: one.key), "has expired"),
        ] {
            var thrown = "nothing"
            do { try await withServer(tls: files) { _ in } } catch { thrown = "\(error)" }
            #expect(thrown.contains(reason), "\(thrown)")
        }
    }
}
