import Domain
import Testing

@Suite struct TaxIDTests {
    static let valid = ["12345678903", "94577403194", "69435151530", "00000000001", "33392005961", "18683136487"]

    @Test(arguments: valid)
    func `OIBs are taken, also as VAT numbers`(digits: String) throws {
        for text in [digits, " \(digits)\n", "HR\(digits)", "hr\(digits)", "Hr \(digits)", "\u{A0}HR\u{A0}\(digits) "] {
            #expect(try TaxID(text).number == digits)
        }
    }

    @Test(arguments: [
        "1234567890", "123456789031", "12345678903a", "1234567890a", "HR", "HRHR12345678903", "SI12345678903",
        "H12345678903", "12345678903HR", "123 456 789 03", "123-45678903", "-2345678903", "+12345678903",
        "١٢٣٤٥٦٧٨٩٠٣", "１２３４５６７８９０３", "12345678903\u{301}", "12345\u{0}78903",
    ])
    func `OIBs of other shapes are refused`(text: String) {
        #expect(isRefused(text))
    }

    @Test(arguments: ["", "  "])
    func `an OIB is required`(text: String) {
        #expect(refusal { () throws(InvalidValue) in try TaxID(text) } == InvalidValue("required"))
    }

    @Test(arguments: valid)
    func `an OIB with any one digit changed is refused`(digits: String) {
        for place in 0..<11 {
            for digit in "0123456789" where digit != Array(digits)[place] {
                var changed = Array(digits)
                changed[place] = digit
                #expect(isRefused(String(changed)), "\(String(changed))")
            }
        }
    }

    /// MOD 11,10 cannot detect every swap. Let `p` be what the digits before amount to. Two neighbours of which one
    /// makes `p + digit` end in 5 and the other in 6 can be swapped, and the result is again a valid OIB: at each place
    /// that is one of the 45 pairs of different digits. All other swaps are detected.
    @Test func `two swapped digits are refused unless MOD 11,10 cannot see it`() {
        var swaps = 0
        var missed = 0
        for number in stride(from: UInt64(3), to: 10_000_000_000, by: 4_999_999) {
            let digits = withCheckDigit(number)
            #expect(!isRefused(String(digits.map { Character(String($0)) })))
            for place in 0..<10 where digits[place] != digits[place + 1] {
                var swapped = digits
                swapped.swapAt(place, place + 1)
                let remainder = remainder(digits[..<place])
                let sums = Set([digits[place], digits[place + 1]].map { (remainder + $0) % 10 })
                let isSeen = isRefused(swapped.map(String.init).joined())
                #expect(isSeen == (sums != [5, 6]), "\(digits) at \(place)")
                swaps += 1
                missed += isSeen ? 0 : 1
            }
        }
        #expect(swaps > 10_000 && missed > 0 && missed * 30 < swaps, "\(missed) of \(swaps)")
    }

    private func isRefused(_ text: String) -> Bool {
        refusal { () throws(InvalidValue) in try TaxID(text) } == InvalidValue("invalid_tax_id")
    }

    /// Ten digits and their check digit.
    private func withCheckDigit(_ number: UInt64) -> [Int] {
        let digits = String(String(number + 10_000_000_000).dropFirst()).map { $0.wholeNumberValue! }
        return digits + [(11 - remainder(digits[...])) % 10]
    }

    private func remainder(_ digits: ArraySlice<Int>) -> Int {
        digits.reduce(10) { ((($0 + $1 + 9) % 10) + 1) * 2 % 11 }
    }
}
