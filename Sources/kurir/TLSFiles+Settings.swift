import HTTP

extension TLSFiles {
    /// Nil where a proxy speaks TLS.
    init?(_ settings: GivenSettings) throws {
        switch (settings.text(.tlsCertificate), settings.text(.tlsKey)) {
        case (let certificate?, let key?): self.init(certificate: certificate, key: key)
        case (nil, nil): return nil
        case (nil, _), (_, nil):
            throw UsageError("--tls-cert and --tls-key go together: a certificate is of no use without its key")
        }
    }
}
