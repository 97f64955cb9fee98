import HTTP

extension ProblemWords {
    /// The words for problems of the API as a whole and of every room.
    public static let features = ProblemWords.http
        .adding(ProblemWords(texts: ["en": apiEnglish, "hr": apiCroatian]))
        .adding(StatusRoom.words)
        .adding(.accounts)
}
