/// An e-mail address as it is written on the Internet (RFC 5321), without the quoted forms, which nobody uses.
public struct EmailAddress: Hashable, Sendable {
    /// As it was written.
    public let text: String
    /// The same for all spellings that count as one address.
    public var key: String { text.lowercased() }

    /// Reads an address; white space around it does not count.
    public init(_ text: String) throws(InvalidValue) {
        let text = try text.trimmedNotEmpty()
        guard text.utf8.count <= Self.mostBytes else { throw .tooLong(most: Self.mostBytes) }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else {
            throw InvalidValue("invalid_email")
        }
        self.text = text
    }

    private static let mostBytes = 254
    private static let mostBytesOfLocalPart = 64
    private static let mostBytesOfLabel = 63
    private static let marks = Set("!#$%&'*+-/=?^_`{|}~".utf8)

    private static func isLocalPart(_ part: Substring.UTF8View) -> Bool {
        part.count <= mostBytesOfLocalPart
            && labels(part).allSatisfy { atom in
                !atom.isEmpty && atom.allSatisfy { $0.isLetter || $0.isDigit || marks.contains($0) }
            }
    }

    /// A domain has at least two labels. The last must not be a number: that would be an IP address.
    private static func isDomain(_ part: Substring.UTF8View) -> Bool {
        let labels = labels(part)
        guard labels.count >= 2, let top = labels.last, !top.allSatisfy(\.isDigit) else { return false }
        return labels.allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...mostBytesOfLabel).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { $0.isLetter || $0.isDigit || $0 == hyphen }
    }

    private static func labels(_ part: Substring.UTF8View) -> [Substring.UTF8View] {
        part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }
}
