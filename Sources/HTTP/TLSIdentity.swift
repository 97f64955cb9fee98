import COpenSSL
import EventLoop

/// The certificate and the key of a server, as their files have them now.
///
/// Connections keep what they began with, so that none is lost when the files change.
final class TLSIdentity: Sendable {
    private let files: TLSFiles
    private let state: Locked<State>

    private struct State {
        var context: TLSContext
        /// The files that were read last, and those that were there at the last look.
        var read, seen: [FileFacts?]
    }

    init(_ files: TLSFiles) throws(TLSError) {
        self.files = files
        let facts = files.facts
        state = Locked(State(context: try TLSContext(files), read: facts, seen: facts))
    }

    /// The TLS of a connection that begins now.
    func session(on file: Int32) -> TLSSession? {
        state.withLock { TLSSession($0.context, file: file) }
    }

    /// Reads the files again if they have changed, and says what came of it. Files are left alone until two looks find
    /// them the same, since whoever renews them writes one after the other.
    func rereadIfChanged() -> HTTPEvent? {
        let facts = files.facts
        let mustRead = state.withLock { state in
            defer { state.seen = facts }
            guard state.seen == facts, state.read != facts else { return false }
            state.read = facts
            return true
        }
        guard mustRead else { return nil }
        do throws(TLSError) {
            let context = try TLSContext(files)
            state.withLock { $0.context = context }
            return .certificateRenewed
        } catch {
            return .certificateRefused("\(error)")
        }
    }
}

/// What libssl makes of a certificate and its key.
///
/// Unchecked, because it is a C pointer with one owner, and libssl locks what sessions on several threads share.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ files: TLSFiles) throws(TLSError) {
        try files.check()
        ERR_clear_error()
        guard let pointer = copenssl_server_context() else { throw .library(Self.reason) }
        self.pointer = pointer
        guard SSL_CTX_use_certificate_chain_file(pointer, files.certificate) == 1 else {
            throw .noCertificate(files.certificate, Self.reason)
        }
        if SSL_CTX_use_PrivateKey_file(pointer, files.key, SSL_FILETYPE_PEM) != 1 {
            throw Self.isMismatch
                ? .otherKey(certificate: files.certificate, key: files.key) : .noKey(files.key, Self.reason)
        }
        // A key of another kind than the certificate's is taken beside it, and then there is none for the certificate.
        guard SSL_CTX_check_private_key(pointer) == 1 else {
            throw .otherKey(certificate: files.certificate, key: files.key)
        }
        guard X509_cmp_current_time(X509_get0_notAfter(SSL_CTX_get0_certificate(pointer))) > 0 else {
            throw .expired(files.certificate)
        }
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    private static var isMismatch: Bool { ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH }

    private static var reason: String {
        ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? "it cannot be read"
    }
}
