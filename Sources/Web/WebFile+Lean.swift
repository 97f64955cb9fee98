extension WebFile {
    /// The same without what only its authors read: indentation, and comments that have lines of their own. Phones load it.
    public var lean: WebFile {
        guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return self }
        var (lean, isInComment) = ([UInt8](), false)
        lean.reserveCapacity(bytes.count)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            isInComment = isInComment || text.starts(with: "/*".utf8)
            if !isInComment, !text.isEmpty, !text.starts(with: "//".utf8) { lean += text + [UInt8(ascii: "\n")] }
            if isInComment, text.suffix(2).elementsEqual("*/".utf8) { isInComment = false }
        }
        return WebFile(name, lean)
    }
}
