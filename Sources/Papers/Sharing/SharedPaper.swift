import API
import Domain
import HTTP
import Postgres

/// A paper as a store sees it with whom it is shared, and no more than that.
struct SharedPaper: Sendable {
    let kind: PaperKind
    /// Only what a courier states has one.
    let title: String?
    let state: String
    let until: Moment?

    init(_ meaning: Meaning) {
        switch meaning {
        case .stated(let stated, let now):
            (kind, title, until) = (stated.kind, stated.title, stated.until)
            state = PaperState(until: stated.until, at: now).rawValue
        case .certified(_, let verdict):
            // Why one is not valid would tell of an illness, and a time that nobody vouches for is no time.
            (kind, title, state) = (.healthCertificate, nil, verdict.state == .valid ? "valid" : "not_valid")
            until = [.valid, .expired].contains(verdict.state) ? verdict.until : nil
        }
    }

    static let shape = Shape.object(
        "SharedPaper",
        [
            .init("kind", .oneOf(PaperKind.allCases.map(\.rawValue), named: "PaperKind")),
            .init("title", .string(), optional: true),
            .init("state", .oneOf(["valid", "not_valid", "expired"], named: "SharedState")),
            .init("valid_until", Shape.time.orNull),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("kind", kind.rawValue)
        if let title { json.field("title", title) }
        json.field("state", state)
        json.field("valid_until", until.map { Timestamp($0) })
    }
}
