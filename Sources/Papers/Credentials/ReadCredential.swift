import API
import Domain
import HTTP
import Postgres

/// What a credential means now.
enum Meaning: Sendable {
    case stated(Credential.Stated, at: Moment)
    case certified(HealthCertificate, HealthVerdict)

    /// Nil if it does not decode, or is of no kind that is asked for: then it is not even tried.
    init?(
        _ credential: Credential, _ known: KnownPapers, at now: Moment,
        of kinds: Set<PaperKind> = Set(PaperKind.allCases)
    ) {
        guard kinds.contains(credential.kind) else { return nil }
        if let stated = credential.stated {
            self = .stated(stated, at: now)
        } else {
            guard let read = HealthCertificate(credential.raw) else { return nil }
            self = .certified(read, known.verdict(on: read, at: now))
        }
    }
}

/// A credential as its courier sees it: understood anew each time.
struct ReadCredential: Sendable {
    let id: ID
    let addedAt: Timestamp
    let sharedWith: [ID]
    let kind: String
    let title: String?
    let holder: String
    let certificate: Certificate?
    let from, until: Moment?
    let isVerified: Bool
    let state: PaperState

    /// What a health certificate says besides.
    struct Certificate: Sendable {
        let birthDate, country, issuer: String?
        let details: [(String, JSON)]
    }

    /// A credential that was understood.
    init(_ kept: KeptCredential, _ meaning: Meaning) {
        (id, addedAt, sharedWith) = (kept.id, kept.addedAt, kept.sharedWith)
        switch meaning {
        case .stated(let stated, let now):
            (kind, title, holder, certificate) = (stated.kind.rawValue, stated.title, kept.name, nil)
            (from, until, isVerified) = (nil, stated.until, false)
            state = PaperState(until: stated.until, at: now)
        case .certified(let read, let verdict):
            (kind, title, holder) = (read.event.kind.name, nil, read.holder)
            certificate = Certificate(
                birthDate: read.birthDate, country: read.country, issuer: read.issuer, details: read.event.details)
            (from, until) = (verdict.from, verdict.until)
            (isVerified, state) = (verdict.isVerified, verdict.state)
        }
    }

    static let kinds = ["recovery", "vaccination", "test"] + PaperKind.stated.map(\.rawValue)
    static let shape = Shape.object(
        "Credential",
        [
            .init("id", .id), .init("kind", .oneOf(kinds, named: "CredentialKind")),
            .init("title", Shape.string().orNull), .init("holder", .string()),
            .init("birth_date", Shape.string().orNull), .init("country", Shape.string().orNull),
            .init("issuer", Shape.string().orNull), .init("details", .anyObject),
            .init("valid_from", Shape.time.orNull), .init("valid_until", Shape.time.orNull),
            .init("verified", .boolean), .init("state", PaperState.shape),
            .init("shared_with", .array(.id, most: Bounds.credentialStores)), .init("added_at", .time),
        ])

    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("kind", kind)
        json.field("title", title)
        json.field("holder", holder)
        json.field("birth_date", certificate?.birthDate)
        json.field("country", certificate?.country)
        json.field("issuer", certificate?.issuer)
        json.object("details") { json in
            for (name, value) in certificate?.details ?? [] { json.raw(name: name, value.bytes) }
        }
        json.field("valid_from", from.map { Timestamp($0) })
        json.field("valid_until", until.map { Timestamp($0) })
        json.field("verified", isVerified)
        json.field("state", state.rawValue)
        json.array("shared_with", sharedWith) { $0.item($1.description) }
        json.field("added_at", addedAt)
    }

    func response(_ status: Status = .ok) -> Response {
        var json = JSONWriter()
        json.object(write)
        return .json(json.bytes, status: status)
    }
}

extension PaperState {
    static let shape = Shape.oneOf(allCases.map(\.rawValue), named: "PaperState")
}

extension HealthEvent {
    /// What it says, for who wants to know it all.
    fileprivate var details: [(String, JSON)] {
        func text(_ name: String, _ text: String?) -> [(String, JSON)] { text.map { [(name, .string($0))] } ?? [] }
        let ofKind: [(String, JSON)] =
            switch kind {
            case .recovery(let recovery):
                text("first_positive", "\(recovery.firstPositive)") + text("from", "\(recovery.from)")
                    + text("until", "\(recovery.until)")
            case .vaccination(let vaccination):
                text("vaccine", vaccination.vaccine) + text("product", vaccination.product)
                    + text("manufacturer", vaccination.manufacturer) + text("date", "\(vaccination.day)")
                    + [("dose", .integer(vaccination.dose)), ("doses", .integer(vaccination.doses))]
            case .test(let test):
                text("type", test.type) + text("name", test.name) + text("device", test.device)
                    + text("centre", test.centre) + text("sampled_at", Timestamp(test.at).text)
                    + text("result", test.isPositive ? "positive" : "negative")
            }
        return text("disease", disease) + ofKind + text("certificate_id", certificate)
    }
}
