import HTTP

extension ProblemWords {
    /// The words for problems that any call may have.
    package static let api = ProblemWords.http.adding(ProblemWords(texts: ["en": apiEnglish, "hr": apiCroatian]))
}
