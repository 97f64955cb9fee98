import API
import Domain
import HTTP
import Papers

/// Measures how long it takes to read and judge the codes that come as JSON by standard input; `keys` is a file as `--dcc-keys` has.
enum Reading {
    private static let rounds = 200

    static func measure(keys: String) throws {
        var text: [UInt8] = []
        while let line = readLine(strippingNewline: false) { text += line.utf8 }
        guard case .object(let kinds)? = JSON(text) else { preconditionFailure("no codes") }
        let known = try KnownPapers(.init(keys: keys))
        for (kind, title) in [("codes", "a certificate"), ("broken", "a hostile code")] {
            guard case .object(let codes)? = kinds[kind] else { continue }
            let texts = codes.values.compactMap { if case .string(let code) = $0 { code } else { nil } }
            var (first, longest): (Duration?, Duration) = (nil, .zero)
            let all = ContinuousClock().measure {
                for _ in 0..<rounds {
                    for code in texts {
                        let took = ContinuousClock().measure { _ = known.state(of: code, at: .now) }
                        if first == nil { first = took } else { longest = max(longest, took) }
                    }
                }
            }
            let mean = all / (rounds * texts.count) / .microseconds(1)
            print(
                "\(title) is read and judged in \(Int(mean)) µs, the first in \(Int((first ?? .zero) / .microseconds(1))) µs, "
                    + "any other in \(Int(longest / .microseconds(1))) µs at most")
        }
    }
}
