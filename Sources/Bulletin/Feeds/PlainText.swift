/// Makes plain text of what may have markup in it. Each byte is looked at a few times at most, whatever it is.
enum PlainText {
    /// One line, of at most so many characters.
    static func line(_ text: String, upTo most: Int) -> String {
        cut(withoutMarkup(text).split { $0.properties.isWhitespace }.joined(separator: " ".unicodeScalars), most)
    }

    /// Lines, of at most so many characters together; none of them is empty.
    static func paragraph(_ text: String, upTo most: Int) -> String {
        let lines = withoutMarkup(text).split(separator: "\n").map { line in
            Substring.UnicodeScalarView(line.split { $0.properties.isWhitespace }.joined(separator: " ".unicodeScalars))
        }
        return cut(lines.filter { !$0.isEmpty }.joined(separator: "\n".unicodeScalars), most)
    }

    /// Ends with dots where it is cut off. A character can be made of any number of marks, so the bytes have a bound, too.
    private static func cut(_ scalars: some Sequence<Unicode.Scalar>, _ most: Int) -> String {
        let whole = String(String.UnicodeScalarView(scalars))
        guard whole.utf8.count > most else { return whole }
        guard whole.count > most || whole.utf8.count > 4 * most else { return whole }
        var (kept, bytes) = ("", 3)
        for character in whole.prefix(most - 1) {
            bytes += character.utf8.count
            guard bytes <= 4 * most else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// Plain text as markup that shows it.
    static func asMarkup(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
            .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
    }

    /// The text with what references stand for (`&amp;`, `&#269;`).
    static func references(in text: String) -> String {
        var (result, rest) = (String.UnicodeScalarView(), text.unicodeScalars[...])
        while let scalar = rest.popFirst() {
            result.append(scalar == "&" ? reference(&rest) : scalar)
        }
        return String(result)
    }

    private static func withoutMarkup(_ text: String) -> String.UnicodeScalarView {
        // Most texts are plain already.
        if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }) {
            return text.unicodeScalars
        }
        var (result, rest) = (String.UnicodeScalarView(), text.unicodeScalars[...])
        while let scalar = rest.popFirst() {
            switch scalar {
            case "<" where isMarkup(rest): if let gap = skipMarkup(&rest) { result.append(gap) }
            case "&":
                let meant = reference(&rest)
                if isShown(meant) { result.append(meant) }
            case "\r": if rest.first != "\n" { result.append("\n") }
            default: if isShown(scalar) { result.append(scalar) }
            }
        }
        return result
    }

    /// Controls, and what turns the direction of a text, are left out.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar == "\n" || scalar == "\t"
        case .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: !("\u{202A}"..."\u{202E}").contains(scalar) && !("\u{2066}"..."\u{2069}").contains(scalar)
        }
    }

    private static func isMarkup(_ rest: Substring.UnicodeScalarView) -> Bool {
        rest.first.map { $0.isASCII && ($0.properties.isAlphabetic || "/!?".unicodeScalars.contains($0)) } ?? false
    }

    /// Skips a tag or a comment, and scripts and styles with what is in them. Gives what parts the words there.
    private static func skipMarkup(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
        if rest.starts(with: "!--".unicodeScalars) {
            skip(&rest, past: "-->")
            return " "
        }
        let name = String(
            String.UnicodeScalarView(rest.prefix(12).prefix { $0.properties.isAlphabetic || $0 == "/" || $0.isDigit })
        )
        .lowercased()
        skipTag(&rest)
        if ["script", "style"].contains(name) {
            // What looks like its end within it ends it, as in browsers.
            skip(&rest, past: "</" + name)
            skip(&rest, past: ">")
        }
        if breaking.contains(name) { return "\n" }
        return inline.contains(name) ? nil : " "
    }

    private static let breaking: Set = [
        "p", "/p", "br", "br/", "div", "/div", "li", "/li", "tr", "/tr", "h1", "/h1", "h2", "/h2", "h3", "/h3", "h4",
        "/h4",
        "ul", "/ul", "ol", "/ol", "blockquote", "/blockquote", "hr", "hr/",
    ]
    private static let inline: Set = [
        "a", "/a", "b", "/b", "i", "/i", "em", "/em", "strong", "/strong", "u", "/u", "span", "/span", "font", "/font",
        "small", "/small", "sup", "/sup", "sub", "/sub", "abbr", "/abbr",
    ]

    /// Skips what is left of a tag: a bracket within a quoted value does not end it.
    private static func skipTag(_ rest: inout Substring.UnicodeScalarView) {
        var (last, quote): (Unicode.Scalar, Unicode.Scalar?) = (" ", nil)
        while let scalar = rest.popFirst() {
            if let open = quote {
                if scalar == open { quote = nil }
            } else if scalar == ">" {
                return
            } else if last == "=", scalar == "\"" || scalar == "'" {
                quote = scalar
            }
            if !scalar.properties.isWhitespace { last = scalar }
        }
    }

    private static func skip(_ rest: inout Substring.UnicodeScalarView, past end: String) {
        let end = Array(end.unicodeScalars)
        while !rest.isEmpty {
            if rest.first.map({ $0 == end[0] }) == true, rest.prefix(end.count).elementsEqual(end, by: { same($0, $1) })
            {
                rest = rest.dropFirst(end.count)
                return
            }
            rest = rest.dropFirst()
        }
    }

    private static func same(_ one: Unicode.Scalar, _ lower: Unicode.Scalar) -> Bool {
        one == lower || one.isASCII && lower.isASCII && one.properties.isAlphabetic && one.value | 0x20 == lower.value
    }

    /// What the reference means whose sign was just read; the sign itself if it is none.
    private static func reference(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar {
        let name = rest.prefix(10).prefix { $0 != ";" && $0 != "&" }
        guard rest.dropFirst(name.count).first == ";", let meant = scalar(String(name)) else { return "&" }
        rest = rest.dropFirst(name.count + 1)
        return meant
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return named[name] }
        let digits = name.dropFirst()
        let number =
            digits.first.map { "xX".contains($0) } == true ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }

    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}", "shy": "\u{ad}", "ndash": "–",
        "mdash": "—", "hellip": "…", "laquo": "«", "raquo": "»", "bdquo": "„", "ldquo": "“", "rdquo": "”", "sbquo": "‚",
        "lsquo": "‘", "rsquo": "’", "euro": "€", "deg": "°", "middot": "·", "bull": "•", "times": "×", "copy": "©",
        "reg": "®", "trade": "™", "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü",
        "szlig": "ß", "scaron": "š", "Scaron": "Š", "zcaron": "ž", "Zcaron": "Ž", "ccaron": "č", "Ccaron": "Č",
        "cacute": "ć", "Cacute": "Ć", "dstrok": "đ", "Dstrok": "Đ", "eacute": "é", "egrave": "è", "agrave": "à",
    ]
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
