import FoundationEssentials
import Testing

import Languages

@testable import HTTP

@Suite("Problems, by RFC 9457")
struct ProblemTests {
    private struct Body: Decodable, Equatable {
        var type: String
        var title: String
        var status: Int
        var code: String
        var detail: String
        var request_id: String
        var errors: [Wrong]?

        struct Wrong: Decodable, Equatable {
            var field: String
            var code: String
            var detail: String
        }
    }

    private static let words = ProblemWords(
        texts: ProblemWords.all.texts.merging([
            "en": [
                "validation_failed": .init(title: "Not valid", detail: "There are {count} mistakes."),
                "too_short": .init(title: "Short", detail: "At least {least} of {what}."),
                "english_only": .init(title: "Only here", detail: "No other language."),
            ],
            "hr": [
                "validation_failed": .init(title: "Neispravno", detail: "Pogrešaka: {count}."),
                "too_short": .init(title: "Kratko", detail: "Najmanje {least}, a to su {what}."),
            ],
        ]) { $0.merging($1) { _, own in own } })

    private func body(_ problem: Problem, _ language: String) throws -> Body {
        let response = problem.response(requestID: "r1", language: language, words: Self.words)
        guard case .bytes(let bytes, let type) = response.body else { throw Unexpected() }
        #expect(type == "application/problem+json")
        #expect(response.status == problem.status)
        #expect(response.headers.contains { $0.name == "Content-Language" && $0.value == language })
        return try JSONDecoder().decode(Body.self, from: Data(bytes))
    }

    private struct Unexpected: Error {}

    @Test("All members, and no errors where no field is wrong")
    func shape() throws {
        let expected = Body(
            type: "about:blank", title: "Not found", status: 404, code: "not_found",
            detail: "There is nothing at this address, or it is not yours to see.", request_id: "r1")
        #expect(try body(.notFound, "en") == expected)
    }

    @Test("All wrong fields at once, with their arguments")
    func fields() throws {
        let problem = Problem(
            .unprocessable, "validation_failed", arguments: ["count": "2"],
            fields: [
                .init("recipient.phone", "too_short", arguments: ["least": "6", "what": "\"{least}\""]),
                .init("x", "unheard_of"),
            ])
        let wrong = [
            Body.Wrong(field: "recipient.phone", code: "too_short", detail: "At least 6 of \"{least}\"."),
            Body.Wrong(field: "x", code: "unheard_of", detail: ""),
        ]
        let english = try body(problem, "en")
        #expect(english.detail == "There are 2 mistakes.")
        #expect(english.errors == wrong)
        let croatian = try body(problem, "hr")
        #expect(croatian.title == "Neispravno")
        #expect(croatian.errors?.first?.detail == "Najmanje 6, a to su \"{least}\".")
        #expect(croatian.errors?.map(\.code) == wrong.map(\.code))
    }

    @Test("Without words of its own: those of the code, of the fallback language, or the status's phrase")
    func missingWords() throws {
        #expect(try body(Problem(.badRequest, "bad_request", wording: "unheard_of"), "en").title == "Bad request")
        #expect(try body(Problem(.gone, "english_only"), "hr").title == "Only here")
        #expect(try body(Problem(.gone, "unheard_of"), "hr").title == "Gone")
    }

    @Test("What the parser refuses, in every language", arguments: Malformed.allCases, ["en", "hr"])
    func malformed(malformed: Malformed, language: String) throws {
        let text = try #require(ProblemWords.all.texts[language]?[malformed.rawValue])
        let body = try body(Problem(malformed), language)
        #expect(body.title == text.title && body.detail == text.detail)
        #expect(body.code == malformed.code)
        #expect(body.status == malformed.status.code)
        #expect((400...599).contains(body.status))
    }

    @Test("A method that is not allowed, and a moment that is not right, say so in a header")
    func headers() {
        let allow = Problem.methodNotAllowed("PUT", ["GET", "HEAD"])
        #expect(allow.headers.map { "\($0.name): \($0.value)" } == ["Allow: GET, HEAD"])
        let unavailable = Problem.unavailable(retryAfterSeconds: 7)
        #expect(unavailable.headers.map { "\($0.name): \($0.value)" } == ["Retry-After: 7"])
    }

    // MARK: Words

    @Test(
        "Placeholders",
        arguments: [
            ("a", ["x": "1"], "a"), ("{x}", ["x": "1"], "1"), ("a{x}b{y}c{x}", ["x": "1", "y": "2"], "a1b2c1"),
            ("{x}", ["x": "{x}"], "{x}"), ("{z}!", ["x": "1"], "!"), ("{x", ["x": "1"], "{x"),
            ("x}", ["x": "1"], "x}"), ("", ["x": "1"], ""),
        ])
    func fill(detail: String, arguments: [String: String], filled: String) {
        #expect(LanguageWords.fill(detail, arguments) == filled)
    }

    @Test(
        "Accept-Language",
        arguments: [
            (nil, "en"), ("", "en"), ("hr", "hr"), ("en", "en"), ("HR", "hr"), ("hr-HR", "hr"),
            ("hr-Latn-HR, en;q=0.9", "hr"), ("fr", "en"), ("fr, hr;q=0.1", "hr"), ("en, hr", "en"), ("hr, en", "hr"),
            ("en;q=0.5, hr;q=0.6", "hr"), ("en;q=0.6, hr;q=0.5", "en"), ("hr;q=0.5, en;q=0.5", "hr"),
            ("en;q=0.8,hr", "hr"), ("hr;q=0", "en"), ("hr;q=0.000, fr", "en"), ("hr ; q=0.9 , en ; q=0.8", "hr"),
            ("hr;q=x, en;q=0.1", "en"), ("hr;Q=0.9, en;q=0.5", "hr"), ("*", "en"), ("hrv", "en"), (",,hr,", "hr"),
            (";q=1, hr;q=0.1", "hr"), ("hr;;", "hr"), ("hr;level=1;q=0.2, en;q=0.5", "en"),
            (String(repeating: "fr,", count: 19) + "hr", "hr"),
        ])
    func language(header: String?, expected: String) {
        #expect(ProblemWords.all.language(accepting: header) == expected)
    }
}
