import Domain

extension Property {
    /// Codes, ids and days: what is read is written in one way, which is read as the same.
    static let codes = Property("codes") { bytes in
        let text = bytes.text
        if let code = InviteCode(text) {
            try require(InviteCode(code.shown)?.canonical, is: code.canonical, "the code as it is shown")
            try require(
                code.canonical.utf8.count == 10 && code.canonical.utf8.allSatisfy(symbols.contains), "\(code.shown)")
        }
        if let code = ResetCode(text) {
            try require(ResetCode(code.digits)?.digits, is: code.digits, "the digits alone")
            try require(code.digits.utf8.count == 8 && code.digits.utf8.allSatisfy(digits.contains), code.digits)
        }
        if let id = ID(text) { try require(id.description, is: text.lowercased(), "the id") }
        if let day = Day(text) { try require(day.description.bytes, is: bytes, "the day") }
        guard bytes.count >= 16 else { return }
        let number = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let id = ID(high: number, low: bytes[8..<16].reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
        try require(ID(id.description), is: id, "the id of these bytes")
        let (code, reset) = (InviteCode.random(number), ResetCode.random(number))
        try require(InviteCode(code.shown)?.canonical, is: code.canonical, "a new code")
        try require(ResetCode(reset.digits)?.digits, is: reset.digits, "a new code")
    }

    private static let symbols = Set("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let digits = Set("0123456789".utf8)
}
