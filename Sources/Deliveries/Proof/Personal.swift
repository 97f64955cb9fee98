import Crypto
import HTTP

/// What is told of people, apart from what is signed: each with its salt, under the place of the hash that stands for it.
struct Personal {
    /// A value as JSON.
    struct Value {
        fileprivate let bytes: [UInt8]

        static func text(_ text: String) -> Value {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.utf8.count + 2)
            JSONWriter.appendString(text, to: &bytes)
            return Value(bytes: bytes)
        }

        static func object(_ write: (inout JSONWriter) -> Void) -> Value {
            var json = JSONWriter(capacity: 256)
            json.object(write)
            return Value(bytes: json.bytes)
        }
    }

    private var salts = Salts()
    private var told: [(place: String, disclosure: [UInt8])] = []

    /// Writes the hash that stands for a value as a field of what is in that place.
    mutating func hash(_ name: StaticString, _ value: Value, _ place: String, _ json: inout JSONWriter) {
        let salt = salts.next()
        var disclosure: [UInt8] = []
        disclosure.reserveCapacity(salt.utf8.count + value.bytes.count + 5)
        disclosure += #"[""#.utf8
        disclosure += salt.utf8
        disclosure += #"","#.utf8
        disclosure += value.bytes
        disclosure.append(UInt8(ascii: "]"))
        json.object(name) { $0.field("sha256", Self.hash(of: disclosure)) }
        told.append((place + "/" + name.description, disclosure))
    }

    /// The hash of a salt and a value, which stand in the form of RFC 8785.
    static func hash(of disclosure: [UInt8]) -> String { hexadecimal(SHA256.hash(disclosure)) }

    /// All of it as JSON.
    var disclosures: [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.object { json in
            for (place, disclosure) in told { json.raw(name: place, disclosure) }
        }
        return json.bytes
    }
}

/// Salts, many of which are drawn at once.
private struct Salts {
    private static let (length, atOnce) = (16, 8)
    private var drawn: [UInt8] = []

    /// The next one, as text.
    mutating func next() -> String {
        if drawn.isEmpty { drawn = SecureRandom.bytes(Self.length * Self.atOnce) }
        defer { drawn.removeLast(Self.length) }
        return Base64URL.encode(Array(drawn.suffix(Self.length)))
    }
}
