import COpenSSL

/// What keys on the curve P-256 can do beside signing.
extension PrivateKey {
    /// A new key on the curve.
    public static func onCurve() -> PrivateKey {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        let isMade =
            EVP_PKEY_keygen_init(context) == 1
            && EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1
            && EVP_PKEY_keygen(context, &key) == 1
        guard isMade, let key else { preconditionFailure("libcrypto has no P-256") }
        return PrivateKey(owning: key)
    }

    /// The key that ``der`` gave; nil if it is none.
    public convenience init?(der: [UInt8]) {
        let key = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &start, bytes.count)
        }
        guard let key else { return nil }
        self.init(owning: key)
    }

    /// The key as it is kept: whoever has this has the key.
    public var der: [UInt8] {
        let length = i2d_PrivateKey(key, nil)
        precondition(length > 0, "libcrypto does not write its own key")
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
            var start = bytes.baseAddress
            count = Int(i2d_PrivateKey(key, &start))
        }
    }

    /// The public point, not compressed: 65 bytes.
    public var publicPoint: [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = EVP_PKEY_get1_encoded_public_key(key, &bytes)
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// The secret that both sides know; nil if the other point is not on the curve.
    func agree(with point: [UInt8]) -> [UInt8]? {
        guard let other = EVP_PKEY_new() else { return nil }
        defer { EVP_PKEY_free(other) }
        guard EVP_PKEY_copy_parameters(other, key) == 1,
            EVP_PKEY_set1_encoded_public_key(other, point, point.count) == 1,
            let context = EVP_PKEY_CTX_new(key, nil)
        else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var count = secret.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
            EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
        else { return nil }
        return secret
    }
}
