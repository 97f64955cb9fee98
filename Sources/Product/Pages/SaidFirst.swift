import Web

/// The names of texts that a page may say before anything is loaded later: every word of its modules is taken for one.
struct SaidFirst {
    private var words: Set<Substring> = []
    /// What names begin with that are composed, as in `status_${name}`.
    private var beginnings: Set<Substring> = []

    init(by pages: [WebFile]) {
        let modules = Dictionary(uniqueKeysWithValues: WebFile.assets.map { ($0.name, $0) })
        var (waiting, seen) = (pages.flatMap(Self.scripts), Set<String>())
        while let name = waiting.popLast() {
            guard seen.insert(name).inserted, let module = modules[name] else { continue }
            let text = String(decoding: module.bytes, as: UTF8.self)
            waiting += Self.imports(of: text)
            read(text)
        }
    }

    /// Whether a page may say the text of that name.
    func says(_ name: String) -> Bool { words.contains(name[...]) || beginnings.contains(where: name.hasPrefix) }

    private static func scripts(of page: WebFile) -> [String] {
        String(decoding: page.bytes, as: UTF8.self).split(separator: "\"").filter { $0.hasSuffix(".js") }.map(last)
    }

    private static func imports(of text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("import ") }.flatMap { $0.split(separator: "'") }
            .filter { $0.hasSuffix(".js") }.map(last)
    }

    private static func last(_ path: Substring) -> String { String(path.split(separator: "/").last ?? path) }

    private mutating func read(_ text: String) {
        let (letters, dollar, underscore) = (text.utf8, UInt8(ascii: "$"), UInt8(ascii: "_"))
        var start = letters.startIndex
        for place in letters.indices where !Self.isPart(letters[place]) {
            let word = text[start..<place]
            if !word.isEmpty { words.insert(word) }
            if letters[place] == dollar, word.utf8.last == underscore { beginnings.insert(word) }
            start = letters.index(after: place)
        }
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
    }
}
