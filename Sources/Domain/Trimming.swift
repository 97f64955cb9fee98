extension StringProtocol {
    /// Without the white space around it.
    var trimmed: Substring.UnicodeScalarView {
        let scalars = Substring(self).unicodeScalars
        let start = scalars.drop { $0.properties.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return start }
        return start[...last]
    }

    /// The text without the white space around it. Something must be left.
    func trimmedNotEmpty() throws(InvalidValue) -> String {
        let trimmed = trimmed
        guard !trimmed.isEmpty else { throw .required }
        return String(trimmed)
    }
}

extension Unicode.Scalar {
    /// What people put between the groups of a number or code: any space or dash.
    var isSpaceOrDash: Bool {
        switch properties.generalCategory {
        case .spaceSeparator, .dashPunctuation: true
        default: self == "\u{2212}" || self == "\t"
        }
    }
}

extension UInt8 {
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
