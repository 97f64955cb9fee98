import TestSupport
/// Damages bytes, as an attacker or a broken client might.
struct Mutation {
    var seed: Seed

    mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        let place = seed.number(0...bytes.count - 1)
        switch seed.number(0...8) {
        case 0: bytes[place] ^= 1 << UInt8(seed.number(0...7))
        case 1: bytes.insert(UInt8(seed.number(0...255)), at: place)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(bytes[place], at: place)
        case 4: bytes.insert(contentsOf: HTTPTests.bytes(seed.pick(Self.words)), at: place)
        case 5: bytes = lines(of: bytes)
        case 6: bytes = swapTokens(of: bytes)
        case 7: bytes.replaceSubrange(place..<min(bytes.count, place + seed.number(1...6)), with: [])
        default: bytes = Array(bytes[..<place])
        }
        return bytes
    }

    private static let words = [
        "\n", "\r", "⏎", "⏎⏎", "\0", " ", "\t", ":", ",", ";", "=", "\"", "\\", "%", "%zz", "[", "]", "?", "#", "/",
        "*", "@",
        "\u{7f}", "\u{80}", "0", "f", "-", "chunked", ", chunked", "gzip, ", "close", "HTTP/1.0", " HTTP/1.1",
        "⏎ folded",
        "⏎Host: b", "⏎Content-Length: 3", "⏎Transfer-Encoding: chunked", "⏎Connection: close", "⏎Expect: 100-continue",
        "http://", "CONNECT ", "OPTIONS * ",
    ]

    /// Doubles, drops or moves a line.
    private mutating func lines(of bytes: [UInt8]) -> [UInt8] {
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        let place = seed.number(0...lines.count - 1)
        switch seed.number(0...2) {
        case 0: lines.insert(lines[place], at: place)
        case 1: lines.remove(at: place)
        default: lines.swapAt(place, seed.number(0...lines.count - 1))
        }
        return Array(lines.joined(separator: [10]))
    }

    private mutating func swapTokens(of bytes: [UInt8]) -> [UInt8] {
        var tokens = bytes.split(separator: seed.pick([32, 58, 44, 13, 47]), omittingEmptySubsequences: false)
        guard tokens.count > 1 else { return bytes }
        let place = seed.number(0...tokens.count - 2)
        tokens.swapAt(place, place + 1)
        return Array(tokens.joined(separator: [32]))
    }
}
