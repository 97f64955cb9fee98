import Domain
import HTTP

extension Request {
    /// A query parameter that is `true` or `false`; nil if it is missing or empty.
    package func flag(_ name: String) throws -> Bool? {
        guard let text = query(name), !text.isEmpty else { return nil }
        guard let flag = Bool(text) else { throw Self.wrong(name, InvalidValue("wrong_type")) }
        return flag
    }

    /// A query parameter of one line; nil if it is missing or empty.
    package func text(_ name: String, upTo most: Int) throws -> String? {
        guard let text = query(name), !text.isEmpty else { return nil }
        do {
            return try Texts.line(text, upTo: most)
        } catch {
            throw Self.wrong(name, error)
        }
    }

    /// The value of a header field that comes once, since nobody can tell which of two is meant.
    func onlyHeader(_ name: StaticString) throws -> String? {
        guard !isRepeated(name) else {
            throw Problem(.badRequest, "bad_request", wording: "doubled_field", arguments: ["field": "\(name)"])
        }
        return header(name)
    }

    /// The best of the accepted languages that there is wording for.
    package var acceptedLanguage: Language {
        Language(known: ProblemWords.all.language(accepting: header("accept-language")))
    }

    /// Whether `Accept` names that media type, and prefers it to JSON.
    package func prefersToJSON(_ wanted: String) -> Bool {
        var best: (type: String, quality: Double)?
        for range in (headerList("accept") ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let type = parts.first?.lowercased(), [wanted, "application/json"].contains(type) else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if quality > best?.quality ?? 0 { best = (type, quality) }
        }
        return best?.type == wanted
    }

    private static func wrong(_ name: String, _ value: InvalidValue) -> Problem {
        Problem(
            .unprocessable, "validation_failed",
            fields: [Problem.WrongField(name, value.code, arguments: value.arguments)])
    }
}
