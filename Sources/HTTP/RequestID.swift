import Glibc

/// Makes ids for requests: thirteen characters, never the same twice in a process.
struct RequestIDs {
    private var state: UInt64

    /// The loops of a process begin at random places of the same cycle, which lie far apart.
    init() {
        state = UInt64.random(in: .min ... .max)
    }

    mutating func next() -> String {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        mixed ^= mixed >> 31
        return String(unsafeUninitializedCapacity: 13) { buffer in
            for place in 0..<13 {
                let digit = UInt8(truncatingIfNeeded: mixed >> UInt64(5 * place) & 31)
                buffer[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
            }
            return 13
        }
    }
}

enum RequestID {
    /// A client's own id, if it is safe in logs and headers.
    static func accept(_ text: String?) -> String? {
        guard let text, 1...128 ~= text.utf8.count, Grammar.requestID.contains(all: text.utf8) else { return nil }
        return text
    }
}
