import Crypto

/// A message with one signature (COSE_Sign1, RFC 9052).
struct SignedMessage: Sendable {
    let payload: [UInt8]
    /// What the key is called that signed it, if it says so.
    let keyID: [UInt8]?
    /// Nil where it names none that is known here.
    let algorithm: VerifyingKey.Algorithm?
    private let protected, signature: [UInt8]

    /// Reads such a message; nil if it is none.
    init?(_ cbor: CBOR) {
        guard let parts = cbor.untagged.items, parts.count == 4, let protected = parts[0].bytes, parts[1].isMap,
            let payload = parts[2].bytes, let signature = parts[3].bytes
        else { return nil }
        let head = protected.isEmpty ? nil : CBOR(protected)
        guard protected.isEmpty || head?.isMap == true else { return nil }
        // Whoever does not understand what is marked as critical may not take the message: nothing besides these two is read here.
        guard head?[2] == nil else { return nil }
        (self.payload, self.protected, self.signature) = (payload, protected, signature)
        // Which algorithm it is stands where the signature covers it.
        algorithm = head?[1]?.integer.flatMap(VerifyingKey.Algorithm.init(cose:))
        keyID = head?[4]?.bytes ?? parts[1][4]?.bytes
    }

    /// Whether the holder of that key signed it.
    func isSigned(by key: VerifyingKey) -> Bool {
        guard let algorithm else { return false }
        // The array that RFC 9052 has signed: what it is for, the head, nothing from elsewhere, the payload.
        let signed = [0x84, 0x6a] + Array("Signature1".utf8) + Self.written(protected) + [0x40] + Self.written(payload)
        return key.isSigned(signed, signature, by: algorithm)
    }

    /// Bytes as CBOR, their length in as few bytes as can be: there are no more than zlib gave.
    private static func written(_ bytes: [UInt8]) -> [UInt8] {
        let count = bytes.count
        return switch count {
        case 0..<24: [0x40 | UInt8(count)] + bytes
        case 24..<256: [0x58, UInt8(count)] + bytes
        case 256..<65_536: [0x59, UInt8(count >> 8), UInt8(count & 255)] + bytes
        default: [0x5a] + (0..<4).map { UInt8(count >> (24 - 8 * $0) & 255) } + bytes
        }
    }
}

extension VerifyingKey.Algorithm {
    /// An algorithm by its number in IANA's registry for COSE.
    init?(cose number: Int64) {
        switch number {
        case -7: self = .es256
        case -37: self = .ps256
        default: return nil
        }
    }
}
