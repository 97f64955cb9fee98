extension WebFile {
    /// The same without what only its authors read: indentation, and comments that have lines of their own. Phones load it.
    public var lean: WebFile {
        guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return self }
        var (lean, isInComment) = ([UInt8](), false)
        lean.reserveCapacity(bytes.count)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            isInComment = isInComment || text.starts(with: "/*".utf8)
            if !isInComment, !text.isEmpty, !text.starts(with: "//".utf8) {
                lean += (name.hasSuffix(".css") ? Self.close(text) : Array(text)) + [UInt8(ascii: "\n")]
            }
            if isInComment, text.suffix(2).elementsEqual("*/".utf8) { isInComment = false }
        }
        return WebFile(name, lean)
    }

    /// A line of a style without the spaces, and the semicolons before what ends, that no browser needs.
    private static func close(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let (openers, closers) = (Set("{};:,".utf8), Set("{}".utf8))
        let dense = line.indices.filter { place in
            guard line[place] == UInt8(ascii: " "), place > line.startIndex else { return true }
            return !openers.contains(line[place - 1])
                && !(place + 1 < line.endIndex && closers.contains(line[place + 1]))
        }.map { line[$0] }
        return zip(dense, dense.dropFirst() + [0]).filter { $0 != (UInt8(ascii: ";"), UInt8(ascii: "}")) }.map(\.0)
    }
}
