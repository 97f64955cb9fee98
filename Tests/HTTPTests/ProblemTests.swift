import FoundationEssentials
import Testing

import Languages

@testable import HTTP

/// Problems, by RFC 9457.
@Suite struct ProblemTests {
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

    @Test func `a problem has all members, and errors only for wrong fields`() throws {
        let expected = Body(
            type: "about:blank", title: "Not found", status: 404, code: "not_found",
            detail: "There is nothing at this address, or it is not yours to see.", request_id: "r1")
        #expect(try body(.notFound, "en") == expected)
    }

    @Test func `a problem names all wrong fields at once, with their arguments`() throws {
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

    @Test func `a problem without words takes those of its code or status`() throws {
        #expect(try body(Problem(.badRequest, "bad_request", wording: "unheard_of"), "en").title == "Bad request")
        #expect(try body(Problem(.gone, "english_only"), "hr").title == "Only here")
        #expect(try body(Problem(.gone, "unheard_of"), "hr").title == "Gone")
    }

    @Test(arguments: Malformed.allCases, ["en", "hr"])
    func `everything that the parser refuses has words in every language`(malformed: Malformed, language: String) throws
    {
        let text = try #require(ProblemWords.all.texts[language]?[malformed.rawValue])
        let body = try body(Problem(malformed), language)
        #expect(body.title == text.title && body.detail == text.detail)
        #expect(body.code == malformed.code)
        #expect(body.status == malformed.status.code)
        #expect((400...599).contains(body.status))
    }

    @Test func `problems of the method or the moment say so in a header`() {
        let allow = Problem.methodNotAllowed("PUT", ["GET", "HEAD"])
        #expect(allow.headers.map { "\($0.name): \($0.value)" } == ["Allow: GET, HEAD"])
        let unavailable = Problem.unavailable(retryAfterSeconds: 7)
        #expect(unavailable.headers.map { "\($0.name): \($0.value)" } == ["Retry-After: 7"])
    }

    // MARK: Words

    @Test(arguments: [
        ("a", ["x": "1"], "a"), ("{x}", ["x": "1"], "1"), ("a{x}b{y}c{x}", ["x": "1", "y": "2"], "a1b2c1"),
        ("{x}", ["x": "{x}"], "{x}"), ("{z}!", ["x": "1"], "!"), ("{x", ["x": "1"], "{x"),
        ("x}", ["x": "1"], "x}"), ("", ["x": "1"], ""),
    ])
    func `placeholders are filled with their values`(detail: String, arguments: [String: String], filled: String) {
        #expect(LanguageWords.fill(detail, arguments) == filled)
    }

    @Test(arguments: [
        (nil, "en"), ("", "en"), ("hr", "hr"), ("en", "en"), ("HR", "hr"), ("hr-HR", "hr"),
        ("hr-Latn-HR, en;q=0.9", "hr"), ("fr", "en"), ("fr, hr;q=0.1", "hr"), ("en, hr", "en"), ("hr, en", "hr"),
        ("en;q=0.5, hr;q=0.6", "hr"), ("en;q=0.6, hr;q=0.5", "en"), ("hr;q=0.5, en;q=0.5", "hr"),
        ("en;q=0.8,hr", "hr"), ("hr;q=0", "en"), ("hr;q=0.000, fr", "en"), ("hr ; q=0.9 , en ; q=0.8", "hr"),
        ("hr;q=x, en;q=0.1", "en"), ("hr;Q=0.9, en;q=0.5", "hr"), ("*", "en"), ("hrv", "en"), (",,hr,", "hr"),
        (";q=1, hr;q=0.1", "hr"), ("hr;;", "hr"), ("hr;level=1;q=0.2, en;q=0.5", "en"),
        (String(repeating: "fr,", count: 19) + "hr", "hr"),
    ])
    func `Accept-Language decides the language`(header: String?, expected: String) {
        #expect(ProblemWords.all.language(accepting: header) == expected)
    }
}
