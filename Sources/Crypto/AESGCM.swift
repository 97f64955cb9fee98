import COpenSSL

/// AES in Galois/Counter Mode, with keys of 16 or of 32 bytes: what is sealed can neither be read nor changed, nor put to another
/// context.
enum AESGCM {
    static let nonceLength = 12
    private static let tagLength = 16

    /// Ciphertext and tag. No nonce may be used twice with a key.
    static func seal(_ bytes: [UInt8], key: [UInt8], nonce: [UInt8], for context: [UInt8]) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: tagLength)
        let ciphertext = transform(bytes, context, key, nonce, encrypting: true) { cipher in
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), &tag) == 1
        }
        guard let ciphertext else { preconditionFailure("libcrypto has no AES-GCM") }
        return ciphertext + tag
    }

    /// What was sealed with that key and nonce for that context; nil if it is not exactly that.
    static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], for context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= tagLength, nonce.count == nonceLength else { return nil }
        var tag = Array(sealed.suffix(tagLength))
        return transform(Array(sealed.dropLast(tagLength)), context, key, nonce, encrypting: false) { cipher in
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1
        }
    }

    /// Encrypts or decrypts. The two differ only in the tag, which is set before the end or asked for after it.
    private static func transform(
        _ bytes: [UInt8], _ context: [UInt8], _ key: [UInt8], _ nonce: [UInt8], encrypting: Bool,
        tag: (OpaquePointer) -> Bool
    ) -> [UInt8]? {
        guard let cipher = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(cipher) }
        let kind = key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        var (count, ending) = (Int32(0), Int32(0))
        var output = [UInt8](repeating: 0, count: bytes.count)
        var nothing: [UInt8] = [0]
        let isDone =
            EVP_CipherInit_ex(cipher, kind, nil, key, nonce, encrypting ? 1 : 0) == 1
            && EVP_CipherUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
            && EVP_CipherUpdate(cipher, &output, &count, bytes, Int32(bytes.count)) == 1
            && (encrypting || tag(cipher))
            && EVP_CipherFinal_ex(cipher, &nothing, &ending) == 1
            && (!encrypting || tag(cipher))
        return isDone ? output : nil
    }
}
