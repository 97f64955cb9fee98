import Crypto

@testable import Crypto

extension Property {
    /// What is kept sealed, hashed or encoded: only what we wrote is read, and as what it was.
    static let sealed = Property("sealed") { bytes in
        try require(key.open(bytes, for: []) == nil, "opened what nobody sealed")
        let (context, sealed) = (Array(bytes.prefix(3)), key.seal(bytes, for: Array(bytes.prefix(3))))
        try require(key.open(sealed, for: context), is: bytes, "what was sealed")
        try require(key.open(sealed, for: context + [0]) == nil, "opened elsewhere")
        let sum = bytes.reduce(0) { ($0 &* 31) &+ Int($1) } & .max
        var changed = sealed
        changed[sum % sealed.count] ^= 1 << UInt8(sum % 8)
        try require(key.open(changed, for: context) == nil, "opened although it was changed")
        try require(key.open(Array(sealed.prefix(sum % sealed.count)), for: context) == nil, "opened a part of it")
        let text = bytes.text
        if let hash = PasswordHash(text: text) { try require(hash.text.bytes, is: bytes, "a password's hash") }
        if let decoded = Base64URL.decode(text) { try require(Base64URL.encode(decoded), is: text, "Base64URL") }
        if let decoded = Base64.decode(text) {
            let padded = Base64.encode(decoded)
            let isSame = padded == text || padded.prefix { $0 != "=" } == text
            try require(isSame, "\(text) is read as Base64 of \(padded)")
        }
        try require(Base64.decode(Base64.encode(bytes)), is: bytes, "Base64")
        try require(Base64URL.decode(Base64URL.encode(bytes)), is: bytes, "Base64URL")
    }

    private static let key = SealingKey([UInt8](repeating: 7, count: 32))
}
