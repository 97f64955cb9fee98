import API
import Domain
import HTTP

/// A credential that is to be kept.
struct NewCredential: Form {
    let raw: String
    private let stated: Credential.Stated?

    init(_ fields: inout Fields) {
        raw = fields.line("raw", upTo: Bounds.credential, by: Texts.code)
        let kind: StatedKind? = fields.optional("kind")
        let title = fields.optionalLine("title", upTo: Bounds.credentialTitle)
        let until: LastMoment? = fields.optional("valid_until")
        if kind != nil, title == nil, !fields.refused("title"), !raw.hasPrefix(HealthCertificate.mark) {
            fields.refuse("title", "required")
        }
        stated = kind.map { Credential.Stated(kind: $0.kind, title: title ?? "", until: until?.moment) }
    }

    /// The credential; a health certificate says itself what it is. Nil if nobody says so.
    var credential: Credential? {
        if raw.hasPrefix(HealthCertificate.mark) { return Credential(raw: raw, stated: nil) }
        return stated.map { Credential(raw: raw, stated: $0) }
    }
}

/// With whom a credential is shared from now on.
struct SharedCredential: Form {
    let stores: [ID]

    init(_ fields: inout Fields) { stores = fields.ids("shared_with", 0...Bounds.credentialStores) }
}

/// What a courier may say that a credential is.
private struct StatedKind: TextFieldValue {
    let kind: PaperKind

    static let shape = Shape.oneOf(PaperKind.stated.map(\.rawValue), named: "StatedKind")
    static var example: StatedKind { example(PaperKind.licence.rawValue) }

    init(_ text: String) throws(InvalidValue) {
        guard let kind = PaperKind(rawValue: text), PaperKind.stated.contains(kind) else {
            throw InvalidValue("invalid_value")
        }
        self.kind = kind
    }
}

/// Until when something is good: a time, or a day, which is good to its end at Greenwich.
private struct LastMoment: TextFieldValue {
    let moment: Moment

    static let shape = Shape.anyOf([.time, .string(format: "date")], named: "LastMoment")
    static var example: LastMoment { example("2027-01-01T00:00:00Z") }

    init(_ text: String) throws(InvalidValue) {
        if let day = Day(text) { moment = day.after(1).begin } else { moment = try Moment(text) }
    }
}
