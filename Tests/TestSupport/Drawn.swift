import Foundation

/// A generated part of a page of the docs, between two marks. `KURIR_WRITE_DOCS=1` writes it again.
public struct Drawn {
    private let page: URL
    private let mark: String

    /// The part of `docs/PAGE` that is drawn from the named source.
    public init(_ page: String, from mark: String) {
        self.page =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../docs/\(page)").standardizedFileURL
        self.mark = "<!-- drawn from \(mark) -->\n"
    }

    private static let end = "<!-- till here -->\n"

    private struct NoMarks: Error {}

    /// Whether the page has that picture; if it is written again, it has.
    public func shows(_ picture: String) throws -> Bool {
        let text = try String(contentsOf: page, encoding: .utf8)
        guard let begin = text.range(of: mark),
            let end = text.range(of: Self.end, range: begin.upperBound..<text.endIndex)
        else { throw NoMarks() }
        if ProcessInfo.processInfo.environment["KURIR_WRITE_DOCS"] != nil {
            let drawn = text[..<begin.upperBound] + picture + text[end.lowerBound...]
            try Data(String(drawn).utf8).write(to: page)
            return true
        }
        return text[begin.upperBound..<end.lowerBound] == picture
    }
}
