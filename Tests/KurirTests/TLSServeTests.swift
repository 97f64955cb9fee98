import Foundation
import TestSupport
import Testing

/// One binary in the open: TLS of its own, as operators set it up.
@Suite(.database) struct TLSServeTests {
    /// The words that a server with this certificate wants. It is for localhost, where it listens by an address.
    private func words(_ certificate: Certificate) -> [String] {
        ["--tls-cert", certificate.chain, "--tls-key", certificate.key, "--public-url", "https://localhost"]
    }

    private func serving(
        _ words: [String], environment: [String: String] = [:], _ body: (Kurir) async throws -> Void
    ) async throws {
        let kurir = try await Kurir.start(words, environment: environment)
        do {
            try await body(kurir)
        } catch {
            kurir.program.signal(SIGTERM)
            try await kurir.program.end()
            throw error
        }
        kurir.program.signal(SIGTERM)
        #expect(try await kurir.program.end() == 0)
    }

    @Test func `one binary serves by TLS, and says so to browsers`() async throws {
        let certificate = try await Certificate.shared.value
        try await serving(words(certificate) + ["--database", TestDatabase.current.url, "--verify", "off"]) { kurir in
            #expect(kurir.address.hasPrefix("https://127.0.0.1:"))
            let place = "https://localhost:\(kurir.port)"
            let trust = ["--cacert", certificate.root]
            #expect(try await kurir.get("/healthz", at: place, trust).status == 200)
            let registered = try await kurir.get(
                "/v1/couriers", at: place,
                trust + [
                    "-i", "-H", "Content-Type: application/json", "-d",
                    #"{"first_name":"Ana","last_name":"Anić","phone":"+385912345678","password":"bicikl-i-kaciga","cookie":true}"#,
                ])
            #expect(registered.status == 201, "\(registered)")
            #expect(registered.body.contains("Set-Cookie: __Host-kurir_session=") && registered.body.contains("Secure"))
            #expect(registered.body.contains("Strict-Transport-Security: max-age="))
            // Operators' address is the machine's own, and has none.
            let plain = try await kurir.get("/healthz", at: "http://127.0.0.1:\(kurir.port)")
            #expect(plain.status == 400 && plain.body.contains("https://"))
            #expect(try await kurir.figures().contains("kurir_tls_handshakes_failed_total 0"))
            let health = try await Kurir.run(
                "health", "--admin-listen", "off", "--listen", "127.0.0.1:\(kurir.port)", "--tls-cert",
                certificate.chain, "--tls-key", certificate.key)
            #expect(health.code == 0, "\(health)")
        }
    }

    @Test func `a new certificate is in the log, and so is one that is refused`() async throws {
        let (old, new) = (try await Certificate.make(), try await Certificate.make())
        let environment = [
            "KURIR_TLS_CERT": old.chain, "KURIR_TLS_KEY": old.key, "KURIR_PUBLIC_URL": "https://localhost",
        ]
        try await serving(["--database", TestDatabase.current.url], environment: environment) { kurir in
            _ = try await Program.run("cp", [new.key, old.key])
            try await eventually { kurir.program.complained.contains(#"error event="certificate refused""#) }
            #expect(kurir.program.complained.contains("is not that of the certificate"))
            _ = try await Program.run("cp", [new.chain, old.chain])
            try await eventually { kurir.program.complained.contains(#"info event="certificate renewed""#) }
            let answer = try await kurir.get(
                "/healthz", at: "https://localhost:\(kurir.port)", ["--cacert", new.root])
            #expect(answer.status == 200)
        }
    }

    @Test func `a certificate wants its key, a name, and no demo`() async throws {
        let certificate = try await Certificate.shared.value
        let url = ["--public-url", "https://localhost"]
        let both = ["--tls-cert", certificate.chain, "--tls-key", certificate.key]
        for (given, told) in [
            (["--tls-cert", certificate.chain] + url, "--tls-cert and --tls-key go together"),
            (["--tls-key", certificate.key] + url, "--tls-cert and --tls-key go together"),
            (both, "wants --public-url https://"),
            (both + ["--public-url", "http://localhost"], "wants --public-url https://"),
            (both + url + ["--demo"], "exclude each other"),
        ] {
            let program = try Program(Kurir.path, ["serve", "--listen", "127.0.0.1:0"] + given)
            #expect(try await program.end() == 64)
            #expect(program.complained.contains(told), "\(program.complained)")
        }
    }

    /// The files are read again later, when Kurir is not root any more.
    @Test(.enabled(if: getuid() == 0, "only root has something to give up"))
    func `files that only root reads are refused when root is given up`() async throws {
        let certificate = try await Certificate.make()
        let key = TemporaryDirectory.path("kurir.key")
        #expect(try await Kurir.run("keys", "make", key).code == 0)
        for (given, told) in [(words(certificate), certificate.key), (["--key-file", key], key)] {
            let data = TemporaryDirectory.path("data")
            let program = try Program(
                Kurir.path, ["serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--data-dir", data] + given)
            #expect(try await program.end() == 1)
            #expect(program.complained.contains(told) && program.complained.contains("Permission denied"))
            #expect(program.complained.contains("gives root up"), "\(program.complained)")
        }
        // Whoever brings a database says by its unit who Kurir is.
        let database = TestDatabase.current.url
        try await serving(words(certificate) + ["--database", database, "--key-file", Kurir.keyFile]) { _ in }
    }
}
