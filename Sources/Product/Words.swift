import API
import People
import HTTP

extension ProblemWords {
    /// The words for all problems.
    package static let features = api.adding(StatusRoom.words).adding(.accounts)
}
