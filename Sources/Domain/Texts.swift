/// The rules for texts that people write.
public enum Texts {
    /// Takes one line, without the white space around it.
    public static func line(_ text: String, upTo most: Int) throws(InvalidValue) -> String {
        try take(text, upTo: most, isRefused: isControl)
    }

    /// Takes one or more lines, without the white space around them; lines end in `\n`.
    public static func paragraph(_ text: String, upTo most: Int) throws(InvalidValue) -> String {
        let text = String(text.map { $0 == "\r\n" ? "\n" : $0 })
        return try take(text, upTo: most) { $0 != "\n" && $0 != "\t" && isControl($0) }
    }

    /// Takes a code as it was scanned, without the line ends that keyboards and clipboards add. Spaces mean something in it.
    public static func code(_ text: String, upTo most: Int) throws(InvalidValue) -> String {
        let isAdded: (Character) -> Bool = { $0.isNewline || $0 == "\t" }
        let code = String(text.drop(while: isAdded).reversed().drop(while: isAdded).reversed())
        guard !code.isEmpty else { throw .required }
        guard code.utf8.count <= 4 * most, code.count <= most else { throw .tooLong(most: most) }
        return code
    }

    private static func take(
        _ text: String, upTo most: Int, isRefused: (Unicode.Scalar) -> Bool
    ) throws(InvalidValue) -> String {
        let trimmed = text.trimmed
        // A text that only looks empty, like a zero-width space, counts as empty.
        guard !trimmed.allSatisfy({ $0.properties.isDefaultIgnorableCodePoint || $0.properties.isWhitespace }) else {
            throw .required
        }
        guard !trimmed.contains(where: isRefused) else { throw .controlCharacters }
        let taken = String(trimmed)
        // A character can be made of any number of marks, so the bytes have a bound, too.
        guard taken.utf8.count <= 4 * most, taken.count <= most else { throw .tooLong(most: most) }
        return taken
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: isTurningText(scalar)
        }
    }

    /// Whether it changes the direction of the following text, which would make it read as something that it is not.
    private static func isTurningText(_ scalar: Unicode.Scalar) -> Bool {
        ("\u{202A}"..."\u{202E}").contains(scalar) || ("\u{2066}"..."\u{2069}").contains(scalar)
    }
}
