import API
import Domain
import HTTP

/// Says which papers partners share with a store, of those that it wants.
package protocol PartnersPapers: Sendable {
    /// By courier and kind; empty where the store wants none.
    func papers(of couriers: [ID], for store: ID, _ runner: Runner) async throws -> [ID: [PaperKind: PaperStanding]]
}

/// What a partner has of a kind of papers, as far as it shares them.
package enum PaperStanding: String, CaseIterable, Sendable {
    case valid, expired, none

    static let shape = Shape.oneOf(allCases.map(\.rawValue), named: "PaperStanding")
}

/// The kinds of papers that a store wants, each named once.
struct WantedPapers: FieldValue {
    let kinds: [PaperKind]

    static let shape = Shape.array(
        .oneOf(PaperKind.allCases.map(\.rawValue), named: "PaperKind"), most: PaperKind.allCases.count)
    static let example = WantedPapers(kinds: [])

    private init(kinds: [PaperKind]) { self.kinds = kinds }

    init(field json: JSON) throws(InvalidValue) {
        guard case .array(let items) = json else { throw InvalidValue("wrong_type") }
        var wanted: Set<PaperKind> = []
        for item in items.prefix(100) {
            guard let kind = PaperKind(rawValue: try Fields.text(item)) else { throw InvalidValue("invalid_value") }
            wanted.insert(kind)
        }
        kinds = PaperKind.allCases.filter(wanted.contains)
    }
}
